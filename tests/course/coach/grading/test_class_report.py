"""What an instructor gets for a class: the page, tables for platforms, and the answers in words by question."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from coach.exercises import modules
from coach.grading.autograder import results
from coach.grading.class_report import page
from coach.grading.command import identical_files
from coach.grading.marks import HIDDEN, Grade, Group, GroupMark, RecognizedMistake
from coach.grading.reports import ReportFolder, class_table, grade_json, graded_again, platform_files, report
from coach.grading.submissions import Submission, find_submissions
from coach.testing.report import Report, TestRecord
from g2c.commands import main

NOTEBOOK = modules()["04"].notebook_file
STRICT = RecognizedMistake("04", "strict UTF-8", "Bytes are decoded with decode.")


def a_grade(name, passed=1, **fields) -> Grade:
    group = Group("04", "decode", "TestDecode", Fraction(10), ("t::TestDecode::a", "t::TestDecode::b"))
    failures = tuple((node, None) for node in group.nodes[passed:])
    return Grade(name, [GroupMark(group, passed, failures, Fraction(5 * passed))], **fields)


def test_the_page_shows_assignment_marks_remarks_mistakes_and_what_nobody_passes():
    shown = page(
        [
            a_grade("Ada", mistakes=[STRICT, STRICT]),
            a_grade("Bob", mistakes=[STRICT], notes=["bpe.py was not handed in."]),
            a_grade("<Cy>", passed=0, suspicions=["x"]),
        ]
    )
    assert not re.search(r"https?:|src=|<link|<script|@import|url\(", shown), "it needs nothing from elsewhere"
    assert f"<h1>04 {modules()['04'].title}</h1>" in shown and f"graded on {date.today().isoformat()}" in shown
    bob = '<a href="students/Bob/report.md">Bob</a></td><td class="number" data-of="points">5 of 10</td>'
    assert f'{bob}<td class="number" data-of="04 decode">5</td>' in shown and "bpe.py was not handed in." in shown
    assert '<th class="number">04 decode</th>' in shown
    assert "Students per 10-point band; median 50 %" in shown
    made = shown.split("<b>2 of 3</b> 04: strict UTF-8")[1]
    assert made.split("<blockquote>")[1].split("</blockquote>")[0].strip() and "Ada, Bob" in made
    assert "<li>t::TestDecode::b</li>" in shown and "<li>t::TestDecode::a</li>" not in shown
    assert "&lt;Cy&gt;" in shown and "<Cy>" not in shown


def test_a_student_is_told_nothing_of_hidden_tests():
    record = TestRecord("t::b", "failed", report=Report(message="A secret."))
    group = Group("04", "encode", "TestEncode", Fraction(10), ("t::a", "t::b"))
    shown = GroupMark(group, 1, (("t::b", record),), Fraction(5), "A secret remark.")
    hidden = [replace(shown, group=replace(group, module_id=HIDDEN, title=name)) for name in ("x.py", "y.py")]
    grade = a_grade("Ada", notes=["5 points off: the name."], forgiven=1)
    grade.groups += hidden
    written = json.loads(grade_json(grade))
    in_one_sum = {"name": "hidden tests", "points": 10.0, "possible": 20.0, "messages": []}
    assert written["exercises"][1:] == [in_one_sum] and "secret" not in json.dumps(written) + report(grade)
    assert [test["visibility"] for test in results(grade)["tests"]] == ["visible", "hidden", "hidden", "visible"]
    assert (written["points"], written["messages"][1:]) == (10, ["5 points off: the name."])
    [encode] = json.loads(grade_json(Grade("Ada", [shown])))["exercises"]
    assert encode["messages"] == ["A secret remark.", "b\nA secret."]
    assert json.loads(grade_json(Grade("Ada")))["points"] is None


def test_reports_round_alike_and_keep_a_message_inside_its_block(tmp_path):
    failed = TestRecord("t::b", "failed", report=Report(message="Called: x\n```\n# not a heading"))
    group = Group("04", "encode", "TestEncode", Fraction(25), ("t::a", "t::b"))
    grade = Grade("Ada", [GroupMark(group, 1, (("t::b", failed),), Fraction(20, 3))])
    text, shown = report(grade), results(grade)
    assert shown["score"] == shown["tests"][0]["score"] == 6.67 and "6.67 of 25 points" in text
    assert "Ada,6.67,25.0,26.7,6.67" in class_table([grade], ReportFolder(tmp_path).rows(["04 encode"]))
    assert "````text\nCalled: x\n```\n# not a heading\n````" in text


# --- platforms --------------------------------------------------------------------------------------------------------


def participant_of_moodle(path: str) -> tuple[int, str]:
    """What Moodle makes of a path in the zip: mod/assign/feedback/file/importziplib.php."""
    part, _, rest = path.partition("/")
    _, number, kind, plugin, *more = part.split("_", 4)
    assert (kind, plugin) == ("assignsubmission", "file")
    return int(number), "".join(more) + rest


def student_of_canvas(name: str) -> list[int]:
    """The numbers of the student and of the file that Canvas finds in a name: app/models/assignment.rb."""
    return [int(part) for part in name.split("_") if part.isdigit()][:2]


def test_points_and_reports_go_back_in_the_layouts_that_the_platforms_take(tmp_path):
    """Canvas takes the columns of a table by their places, Moodle by their names."""
    files = {
        "moodle/Ada L_471_assignsubmission_file_/bpe.py": b"x = 2",
        "moodle/team_1_472_assignsubmission_file_bpe.py": b"x = 2",
        "canvas/lovelaceada_LATE_101_2001_bpe-1.py": b"x = 1",
        "canvas/zuse_102_2002_hw.zip": b"",
        "canvas/ott_103_2003_essay.pdf": b"",
        "others/bob/bpe.py": b"x = 3",
        "brightspace/7-1 - Bo - Nov 9, 2026 1159 PM/bpe.py": b"x = 4",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    submissions = find_submissions([*tmp_path.iterdir()]).submissions
    written = platform_files([(a_grade(each.name), each) for each in submissions], gives_back=True)
    assert [each.name for each in submissions if "Handed in late, as Canvas says." in each.notes] == ["lovelaceada"]

    rows = [*csv.DictReader(io.StringIO(written["moodle.csv"].decode()))]
    found = [tuple(row[name] for name in ("Identifier", "Full name", "Grade")) for row in rows]
    assert found == [("Participant 471", "Ada L", "5.0"), ("Participant 472", "team_1", "5.0")]
    written_at = datetime.fromisoformat(rows[0]["Last modified (grade)"])
    assert timedelta(0) <= datetime.now(UTC) - written_at < timedelta(minutes=5)
    head, *rows = csv.reader(io.StringIO(written["canvas.csv"].decode()))
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "g2c 04"]
    names = {"101": "lovelaceada", "103": "ott", "102": "zuse"}
    assert rows == [[name, number, "", "", "", "5.0"] for number, name in names.items()]

    with zipfile.ZipFile(io.BytesIO(written["moodle.zip"])) as archive:
        assert sorted(map(participant_of_moodle, archive.namelist())) == [(471, "report.md"), (472, "report.md")]
        assert b"5 of 10 points" in archive.read(archive.namelist()[0])
    with zipfile.ZipFile(io.BytesIO(written["canvas.zip"])) as archive:
        assert {f"canvas/{name}" for name in archive.namelist()} < set(files), "the same names"
        assert sorted(map(student_of_canvas, archive.namelist())) == [[101, 2001], [102, 2002], [103, 2003]]
        code = archive.read("lovelaceada_LATE_101_2001_bpe-1.py").decode()
        assert "# **5 of 10 points**" in code and code.endswith("x = 1") and compile(code, "bpe.py", "exec")
        assert zipfile.ZipFile(io.BytesIO(archive.read("zuse_102_2002_hw.zip"))).namelist() == ["report.md"]


def test_files_with_the_same_text_are_named_to_the_instructor():
    files = {"Ada": b"x = 1", "Bob": b"x = 2", "Cy": b"x = 1"}
    assert identical_files([Submission(name, {"bpe": content}) for name, content in files.items()]) == {
        "Ada": ["bpe.py has the same text as that of Cy."],
        "Cy": ["bpe.py has the same text as that of Ada."],
    }


def test_rows_of_an_earlier_run_stay_in_their_order(tmp_path):
    """Also one that an instructor has typed, and those of a class in which the machine failed. An empty table has none;
    one with semicolons, which has none either, is part of test_session.py."""
    reports = ReportFolder(tmp_path)
    table = class_table([a_grade("=ada"), a_grade("bob")], reports.rows(["04 decode"]))
    reports.write("grades.csv", table.replace("bob,5.0", "bob,5") + "looked at\n,,the sum\n")
    before = reports.rows(["04 decode"])
    written = class_table([Grade("eve"), a_grade("=ada", passed=2)], before)
    rows = [*csv.reader(io.StringIO(written))]
    assert [row[0] for row in rows] == ["student", "'=ada", "bob", "looked at", "eve"]
    assert [row[1:2] for row in rows] == [["score"], ["10.0"], ["5"], [], [""]] and len(rows[-1]) == len(rows[0])
    assert graded_again(a_grade("=ada", passed=2), before) == "Graded again: 5.0 points before."
    assert {graded_again(a_grade(name), before) for name in ("bob", "looked at", "eve")} == {""}
    reports.write("grades.csv", "")
    assert [*reports.rows(["04 decode"])] == [""]


# --- words ------------------------------------------------------------------------------------------------------------


def hand_in(folder, student, answers):
    """The exercise notebook with a student's words in these cells."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] in answers:
            cell["source"] = answers[cell["id"]]
    (folder / student).mkdir(parents=True)
    (folder / student / NOTEBOOK.name).write_text(json.dumps(notebook), encoding="utf-8")


def test_the_words_of_a_class_are_on_one_page_by_question(tmp_path, capsys):
    handed_in = tmp_path / "submissions"
    prediction = "# Seven pairs.\nprediction = {'pairs': 7}  # \ud800"
    hand_in(handed_in, "Ada", {"e1-answer": ["They share ", "the <b>middle</b>."], "e1-prediction": prediction})
    hand_in(handed_in, "Bo", {"e1-answer": "Because of the overlap."})
    for student, damaged in (("Cy", b"[" * 100_000), ("Di", b'{"cells": [1]}')):
        (handed_in / student).mkdir()
        (handed_in / student / NOTEBOOK.name).write_bytes(damaged)
    (tmp_path / "grades").mkdir()
    (tmp_path / "grades" / "notebooks.html").write_text("last week's", encoding="utf-8")
    assert main(["grade", str(handed_in), "--output", str(tmp_path / "grades"), "--notebooks"]) == 0
    assert "notebooks.html" in capsys.readouterr().out
    [earlier] = (tmp_path / "grades").glob("earlier/*/notebooks.html")
    assert earlier.read_text(encoding="utf-8") == "last week's"
    page = (tmp_path / "grades" / "notebooks.html").read_text(encoding="utf-8")
    question = page.partition("<h3>e1-answer</h3>")[2].partition("<h3>")[0]
    assert question.index("counted twice but replaced only once") < question.index("share the 1 in")
    assert question.index("share the 1 in") < question.index("They share the &lt;b&gt;middle")
    assert question.index("Ada") < question.index("Because of the overlap.")
    prediction = page.partition("<h3>e1-prediction</h3>")[2].partition("<h3>")[0]
    assert "Seven pairs." in prediction and "<b>Bo</b> <span" in prediction, "Bo predicted nothing"
    assert "No notebook that can be read: Cy, Di." in page
    assert "double-click" not in page and "&quot;pairs&quot;: ...," not in page, "an empty place is not an answer"
