"""What an instructor gets for a class: the page, its tables, overrides, lateness, and tables for platforms."""

import csv
import io
import re
from fractions import Fraction

import pytest

from g2c.common.errors import CourseError
from g2c.course.exercises import modules
from g2c.grading.adjustments import FILE, adjust, read_overrides
from g2c.grading.class_report import two_lines, write_class_report
from g2c.grading.marks import Grade, Group, GroupMark
from g2c.grading.platform_tables import platform_tables
from g2c.grading.similarity import ANSWER_KEY, COPIED, RENAMED, similar_submissions
from g2c.grading.source_report import Source, source_of
from g2c.grading.submissions import Person, Submission

KEY = modules()["04"].key_file.read_text(encoding="utf-8")
OWN = '''class BPETokenizer:
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        """Count."""
        result = {}
        for place in range(len(ids) - 1):  # the last one has no neighbor
            left, right = ids[place], ids[place + 1]
            if barrier_ids is None or (left not in barrier_ids and right not in barrier_ids):
                result[left, right] = result.get((left, right), 0) + 1
        return result

    def decode(self, ids):
        data = b""
        for number in ids:
            if number not in self.vocab:
                raise ValueError(f"{number} is not an ID")
            data += self.vocab[number]
        return data.decode("utf-8")
'''
RENAMED_OWN = OWN.replace("result", "table").replace("place", "i").replace("left", "a").replace("number", "n")
OTHER = OWN.replace("for place in range(len(ids) - 1):", "for place, _ in enumerate(ids[:-1]):").replace(
    'data = b""', "data = bytearray()"
)
STRICT = "04: strict UTF-8"


def a_grade(name, passed=1, **fields) -> Grade:
    group = Group("04", "decode", "TestDecode", Fraction(10), ("t::TestDecode::a", "t::TestDecode::b"))
    failures = tuple((node, "why") for node in group.nodes[passed:])
    return Grade(name, [GroupMark(group, passed, 2, failures)], **fields)


def sources_of(code) -> dict[str, Source]:
    return {"bpe": source_of(modules()["04"], code.encode())}


def a_submission(name, code=OWN, **fields) -> Submission:
    return Submission(name, {"bpe": code.encode()}, **fields)


def rows(path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


@pytest.fixture
def class_of_three(tmp_path):
    """The folder of the reports on Ada, Bob, who copied from her and was late, and <Cy>, who wrote his own."""
    grades = [
        a_grade("Ada", mistakes={STRICT: 2}, sources=sources_of(OWN)),
        a_grade("Bob", mistakes={STRICT: 1}, notes=["bpe.py was not handed in."], sources=sources_of(RENAMED_OWN)),
        a_grade("<Cy>", passed=0, suspicions=["x"], sources=sources_of(OTHER)),
    ]
    submissions = {
        "Ada": a_submission("Ada"),
        "Bob": a_submission("Bob", RENAMED_OWN),
        "<Cy>": a_submission("<Cy>", OTHER),
    }

    def write(**options):
        write_class_report(grades, submissions, {"Bob"}, tmp_path, **options)
        return (tmp_path / "class.html").read_text(encoding="utf-8")

    return tmp_path, write


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_elsewhere(class_of_three):
    page = class_of_three[1]()
    assert not re.search(r"https?:|src=|<link|<script|@import|url\(", page)


def test_the_page_shows_marks_lateness_remarks_and_mistakes_with_thought_and_lines(class_of_three):
    page = class_of_three[1]()
    bob = '<a href="students/Bob/report.md">Bob</a> (late)</td><td class="number">5 of 10</td><td class="number">5</td>'
    assert bob in page and "bpe.py was not handed in." in page and '<th class="number">04 decode</th>' in page
    assert "Students per band of ten percent; median 50 %." in page
    assert "<b>2 of 3</b> 04: strict UTF-8" in page
    thought = page.split("<b>2 of 3</b>")[1].split("<blockquote>")[1].split("</blockquote>")[0]
    assert thought.strip()
    assert "<pre>data = b&quot;&quot;\nfor number in ids:</pre>" in page
    assert "&lt;Cy&gt;" in page and "<Cy>" not in page


def test_the_tables_say_the_same(class_of_three):
    folder, write = class_of_three
    write()
    assert [(row["mistake"], row["students"], row["who"]) for row in rows(folder / "mistakes.csv")] == [
        (STRICT, "2", "Ada; Bob")
    ]
    assert {row["test"]: row["passed by"] for row in rows(folder / "tests.csv")} == {"t::TestDecode::b": "nobody"}
    assert [(row["one"], row["other"], row["what"]) for row in rows(folder / "similar.csv")] == [
        ("Ada", "Bob", RENAMED)
    ]


def test_anonymous_pages_and_tables_hold_no_name(class_of_three):
    folder, write = class_of_three
    text = write(anonymous=True) + "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.csv"))
    assert "student 1" in text and "student 3" in text
    assert not [name for name in ("Ada", "Bob", "Cy") if name in text]


def test_two_lines_are_those_that_the_answer_key_does_not_have():
    lines = two_lines("04", sources_of(OWN), {"BPETokenizer.decode"})
    assert lines == ('        data = b""', "        for number in ids:")
    assert two_lines("04", sources_of("def ("), {"BPETokenizer.decode"}) == ()
    assert two_lines("04", {}, {"BPETokenizer.decode"}) == ()


# --- similar submissions ----------------------------------------------------------------------------------------------


def similar(**files):
    found = similar_submissions({name: {"bpe": sources_of(code)["bpe"].functions} for name, code in files.items()})
    return [(*one.names, one.kind) for one in found]


def test_a_copy_with_another_layout_is_a_copy():
    laid_out = OWN.replace('"""Count."""', "# counts\n").replace("  # the last one has no neighbor", "")
    assert similar(ada=OWN, bob=laid_out) == [("ada", "bob", COPIED)]


def test_a_copy_with_other_names_is_found():
    assert similar(ada=OWN, bob=RENAMED_OWN) == [("ada", "bob", RENAMED)]


def test_other_code_for_the_same_is_not_similar():
    assert similar(ada=OWN, cy=OTHER) == []


def test_the_pasted_answer_key_is_named_once_for_each():
    assert similar(ada=KEY, bob=KEY.replace("merged", "out").replace("piece_ids", "p").replace("position", "i")) == [
        ("ada", ANSWER_KEY, COPIED),
        ("bob", ANSWER_KEY, RENAMED),
    ]


def test_a_copy_that_says_the_same_in_other_words_is_a_copy():
    changed = OWN.replace("data += self", "data = data + self").replace("return result", "pass\n        return result")
    changed = changed.replace("len(ids) - 1", "len(ids) - 1 if 0 < len(ids) else 0")
    turned = changed.replace("0 < len(ids)", "len(ids) > 0").replace("data = data + self", "data += self")
    assert similar(ada=changed, bob=turned) == [("ada", "bob", COPIED)]


def test_untouched_and_unreadable_files_are_not_similar():
    untouched = modules()["04"].exercise_file.read_text(encoding="utf-8")
    assert similar(ada=untouched, bob=untouched, cy="def (", dee="def (") == []


# --- what the instructor decides --------------------------------------------------------------------------------------


def decided(tmp_path, text, late_percent=0.0, is_late=False):
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    grade = a_grade("Ada")
    late = adjust(
        [grade], {"Ada": a_submission("Ada", is_late=is_late)}, read_overrides(tmp_path / FILE, ["Ada"]), late_percent
    )
    return grade, late


def test_an_override_takes_the_place_of_the_points_in_every_call(tmp_path):
    text = '[students.Ada]\npoints = 9.5\nreason = "shown in class"\n'
    for _ in range(2):
        grade, _ = decided(tmp_path, text)
        assert grade.score == Fraction("9.5") and grade.computed == 5
        assert grade.notes == ["Decided by the instructor: shown in class"]
        assert (tmp_path / FILE).read_text(encoding="utf-8") == text


def test_lateness_costs_what_the_option_says(tmp_path):
    grade, late = decided(tmp_path, "", late_percent=10.0, is_late=True)
    assert grade.score == Fraction("4.5") and late == {"Ada"}
    assert grade.notes == ["Handed in late. 10 % are taken off."]


def test_an_override_decides_about_lateness(tmp_path):
    grade, late = decided(tmp_path, "[students.Ada]\nlate = false\n", late_percent=10.0, is_late=True)
    assert grade.score == 5 and late == set()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[students.Eve]\npoints = 1\n", "'Eve', but no submission"),
        ("[students.Ada]\npoints = -1\n", "from 0 on, but is -1"),
        ("[students.Ada]\npoints = nan\n", "from 0 on, but is nan"),
        ("[students.Ada]\npoints = inf\n", "from 0 on, but is inf"),
        ("[students.Ada]\npoint = 1\n", "late, points, reason"),
        ('[students.Ada]\nlate = "no"\n', "true or false, but is 'no'"),
        ("points = 1\n", "must consist of tables"),
        ("[", "cannot be read"),
    ],
)
def test_a_wrong_override_is_refused(tmp_path, text, said):
    with pytest.raises(CourseError, match=said):
        decided(tmp_path, text)


# --- platforms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("moodle", {"Identifier": "Participant 4711", "Grade": "5.0", "Last modified (grade)": "-"}),
        (
            "canvas",
            {"Student": "Ada", "ID": "4711", "SIS User ID": "", "SIS Login ID": "", "Section": "", "g2c 04": "5.0"},
        ),
        (
            "gradescope",
            {"SID": "4711", "Email": "a@example.com", "Total Score": "5.0", "Max Points": "10.0", "Status": "Graded"},
        ),
    ],
)
def test_points_come_back_under_the_platforms_id(platform, expected):
    person = Person("Ada", "4711", "a@example.com")
    submission = a_submission("Ada", platform=platform, people=(person,), is_late=True)
    tables = platform_tables([(a_grade("Ada"), submission), (a_grade("Bob"), a_submission("Bob"))], "g2c 04")
    assert list(tables) == [f"{platform}.csv"]
    [row] = csv.DictReader(io.StringIO(tables[f"{platform}.csv"]))
    assert expected.items() <= row.items()


@pytest.mark.parametrize(
    ("platform", "columns"),
    [
        ("moodle", {"Identifier", "Grade", "Last modified (grade)"}),
        ("canvas", ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "g2c 04"]),
        ("gradescope", {"Name", "SID", "Email", "Total Score", "Max Points", "Status", "Submission Time"}),
    ],
)
def test_the_columns_are_those_that_the_platform_reads(platform, columns):
    """Canvas takes them by their places, the others by their names."""
    submission = a_submission("Ada", platform=platform, people=(Person("Ada", "4711"),))
    [header, _] = csv.reader(io.StringIO(platform_tables([(a_grade("Ada"), submission)], "g2c 04")[f"{platform}.csv"]))
    assert header == columns if isinstance(columns, list) else columns <= set(header)
