"""What an instructor gets for a class: the page, submissions that are alike, and tables for platforms."""

import csv
import io
import re
from datetime import date
from fractions import Fraction

import pytest

from g2c.course.exercises import modules
from g2c.grading.class_report import write_class_report
from g2c.grading.marks import Grade, Group, GroupMark
from g2c.grading.reports import platform_tables
from g2c.grading.similarity import ANSWER_KEY, similar_submissions
from g2c.grading.sources import read_exercise_file
from g2c.grading.submissions import Submission

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


def a_grade(name, passed=1, code=OWN, **fields) -> Grade:
    group = Group("04", "decode", "TestDecode", Fraction(10), ("t::TestDecode::a", "t::TestDecode::b"))
    failures = tuple((node, "why") for node in group.nodes[passed:])
    return Grade(name, [GroupMark(group, passed, 2, failures)], sources={"bpe": functions_of(code)}, **fields)


def functions_of(code):
    return read_exercise_file(code.encode())["functions"]


@pytest.fixture
def page_of_three(tmp_path):
    """The page on Ada, Bob, who copied from her, and <Cy>, who wrote his own."""
    grades = [
        a_grade("Ada", mistakes=[STRICT]),
        a_grade("Bob", mistakes=[STRICT], notes=["bpe.py was not handed in."], code=RENAMED_OWN),
        a_grade("<Cy>", passed=0, suspicions=["x"], code=OTHER),
    ]
    write_class_report([(grade, Submission(grade.name)) for grade in grades], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"class.html", "grades.csv"}
    return (tmp_path / "class.html").read_text(encoding="utf-8")


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_elsewhere(page_of_three):
    assert not re.search(r"https?:|src=|<link|<script|@import|url\(", page_of_three)


def test_the_page_shows_assignment_marks_remarks_mistakes_and_what_nobody_passes(page_of_three):
    page = page_of_three
    assert f"<h1>04 {modules()['04'].title}</h1>" in page and f"graded on {date.today().isoformat()}" in page
    bob = '<a href="students/Bob/report.md">Bob</a></td><td class="number">5 of 10</td><td class="number">5</td>'
    assert bob in page and "bpe.py was not handed in." in page and '<th class="number">decode</th>' in page
    assert "Students per 10-point band; median 50 %" in page
    made = page.split("<b>2 of 3</b> 04: strict UTF-8")[1]
    assert made.split("<blockquote>")[1].split("</blockquote>")[0].strip() and "Ada, Bob" in made
    assert "<li>t::TestDecode::b</li>" in page and "<li>t::TestDecode::a</li>" not in page
    assert "&lt;Cy&gt;" in page and "<Cy>" not in page


# --- similar submissions ----------------------------------------------------------------------------------------------


def similar(**files):
    found = similar_submissions({name: {"bpe": functions_of(code)} for name, code in files.items()})
    return [(one.one, one.other) for one in found]


def test_a_copy_with_another_layout_is_a_copy():
    laid_out = OWN.replace('"""Count."""', "# counts\n").replace("  # the last one has no neighbor", "")
    assert similar(ada=OWN, bob=laid_out) == [("ada", "bob")]


def test_a_copy_with_other_names_is_found():
    assert similar(ada=OWN, bob=RENAMED_OWN) == [("ada", "bob")]


def test_other_code_for_the_same_is_not_similar():
    assert similar(ada=OWN, cy=OTHER) == []


def test_the_pasted_answer_key_is_named_once_for_each():
    assert similar(ada=KEY, bob=KEY.replace("merged", "out").replace("piece_ids", "p").replace("position", "i")) == [
        ("ada", ANSWER_KEY),
        ("bob", ANSWER_KEY),
    ]


def test_a_copy_that_says_the_same_in_other_words_is_a_copy():
    changed = OWN.replace("data += self", "data = data + self").replace("return result", "pass\n        return result")
    changed = changed.replace("len(ids) - 1", "len(ids) - 1 if 0 < len(ids) else 0")
    turned = changed.replace("0 < len(ids)", "len(ids) > 0").replace("data = data + self", "data += self")
    assert similar(ada=changed, bob=turned) == [("ada", "bob")]


def test_untouched_and_unreadable_files_are_not_similar():
    untouched = modules()["04"].exercise_file.read_text(encoding="utf-8")
    assert similar(ada=untouched, bob=untouched, cy="def (", dee="def (") == []


# --- platforms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("moodle", {"Identifier": "Participant 4711", "Grade": "5.0", "Last modified (grade)": "-"}),
        ("canvas", {"Student": "Ada", "ID": "4711", "Section": "", "g2c 04": "5.0"}),
    ],
)
def test_points_come_back_under_the_platforms_id(platform, expected):
    """Canvas takes the columns by their places, Moodle by their names."""
    submission = Submission("Ada", platform=platform, platform_name="Ada", platform_id="4711")
    tables = platform_tables([(a_grade("Ada"), submission), (a_grade("Bob"), Submission("Bob"))])
    assert list(tables) == [f"{platform}.csv"]
    [row] = csv.DictReader(io.StringIO(tables[f"{platform}.csv"]))
    assert expected.items() <= row.items()
    assert platform != "canvas" or list(row) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "g2c 04"]
