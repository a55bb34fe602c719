"""`g2c grade` on classes: the marks are right whatever a submission does, and nothing but the report folder changes.

The classes hand in module 91. That attacks earn nothing is part of test_hostile.py.
"""

import re
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from html import escape
from pathlib import Path

import psutil
import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import all_exercises, modules
from coach.grading.reports import report
from coach.grading.session import Session
from coach.grading.submissions import Submission, one_submission
from coach.grading.wall import wall_here
from support.classes import code_of, grade, hand_in, start, table
from support.clones import copy_course, write_answers
from support.exercise_files import all_but, solved, with_body

TITLES = ("91 double", "91 halve", "91 all together")
RIGHT = code_of()
CLASS = {
    "right": (RIGHT, (30, 30, 40), "^$"),
    "half_done": (code_of(halve="raise NotImplementedError"), (30, 0, 0), ""),
    "loops": (code_of(halve="while True: pass"), (30, 0, 20), "halve never returns"),
    "exits_at_once": (
        f"import os\n{RIGHT.replace('return number', 'os._exit(0)')}",
        (30, 15, 30),
        "halve ended its process",
    ),
    "fails_at_import": (
        f"import torch_\nopen(__file__ + '/x')\nlines = input()\n{RIGHT}\nimport sys\nsys.exit(0)\n",
        (30, 30, 40),
        r"^5 points off: .*line 1 is left out: import torch_ .*'small/toys/doubling.py/x'.*sys.exit\(0\) \(SystemExit",
    ),
    "not_python": (
        RIGHT.replace("def halve", "clas halve"),
        (30, 0, 0),
        r"points off: .*left out: clas halve.*The code does not define halve\.$",
    ),
    "renamed": (RIGHT.replace("def double", "def dubble"), (0, 30, 0), "has no double; it has dubble, line 1"),
    "prints": (RIGHT.replace("    return 2", "    print('x' * 1000)\n    return 2"), (30, 30, 40), "^$"),
    "uses_a_library": (f"import tokenizers\n{RIGHT}", (30, 30, 40), "^$"),
    "imports_key": (
        code_of("from small.solutions.doubling import double as found\n    return found(number)"),
        (0, 30, 20),
        r"small/toys/doubling.py, line \d, needs small.solutions",
    ),
    "edits_tests": (RIGHT.replace("number // 2", "0"), (30, 15, 30), "^$"),
    "costly": ('f"' + "{a}" * 300_000 + f'"\n{RIGHT}', (0, 0, 0), "does not finish|SyntaxError|NameError"),
    "nothing_handed_in": (None, (0, 0, 0), "No exercise file was found"),
}
"""Name -> exercise file, points for `double`, for `halve` and for both together, and a note."""


def processes_that_name(folder: Path) -> list[str]:
    commands = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
    return [command for command in commands if str(folder) in command]


def wait_until(happened: Callable[[], object]) -> None:
    """Wait for what happens within a second, or on a busy machine within a minute or two."""
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline, "it has not happened within two minutes"
        time.sleep(0.1)


def test_every_mark_is_right_and_every_note_says_what_happened(course, tmp_path, monkeypatch):
    """A library that does the exercise is named to the instructor alone, who has solved an exercise in the checkout."""
    course.write("double", "return 2 * number")
    course.replace("small/toys/doubling.py", "def double(number: int)", "def double()")
    folder = hand_in(tmp_path, {name: code for name, (code, *_) in CLASS.items() if code})
    (folder / "nothing_handed_in").mkdir()
    (folder / "nothing_handed_in" / "notes.txt").write_text("later", encoding="utf-8")
    (folder / "edits_tests" / "tests").mkdir()
    (folder / "edits_tests" / "tests" / "test_doubling.py").write_text("def test_nothing(): pass", encoding="utf-8")
    reports = tmp_path / "reports"
    output = grade(course, folder, "--output", reports, change="less_time")
    rows = table(reports)
    assert {name: tuple(float(row[title]) for title in TITLES) for name, row in rows.items()} == {
        name: points for name, (_, points, _) in CLASS.items()
    }
    assert [name for name, (*_, note) in CLASS.items() if not re.search(note, rows[name]["notes"])] == []
    texts = {name: (reports / "students" / name / "report.md").read_text(encoding="utf-8") for name in CLASS}
    assert "g2c-grade-" not in "".join(texts.values()), "temporary folders tell a student nothing"
    sentence = "doubling.py imports tokenizers, which does the exercise."
    found = {name: row["worth a look"] for name, row in rows.items()}
    assert found == dict.fromkeys(CLASS, "") | {"uses_a_library": sentence}
    page = (reports / "class.html").read_text(encoding="utf-8")
    assert sentence in page and "tokenizers" not in texts["uses_a_library"]
    assert "(forgiven: exits_at_once, fails_at_import, not_python)" in output
    text = texts["not_python"]
    assert "\nThe code does not define halve.\n" in text and "not written yet" not in text, "its line is left out"
    wall = output.partition("\n")[0]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary $HOME"))
    assert wall == wall_here.__wrapped__().sentence, "another user is only one who reaches the temporary folder"
    assert escape(wall) in page and text.replace("\\", "").startswith(f"# not_python\n\n{wall}\n")


def test_grading_again_keeps_the_rows_of_others_and_what_it_replaces(course, tmp_path):
    reports = tmp_path / "reports"
    handed_in = hand_in(tmp_path, {"ada": RIGHT, "bob": code_of(halve="return 0")})
    grade(course, handed_in, "--output", reports)
    assert (reports / "grades.csv").read_bytes().startswith(b"\xef\xbb\xbfstudent,")
    before, page = (reports / "grades.csv").read_text(encoding="utf-8"), (reports / "class.html").read_bytes()
    assert "earlier" not in {path.name for path in reports.iterdir()}
    hand_in(tmp_path, {"bob": RIGHT})
    said = grade(course, handed_in, "--output", reports, "--only", "bob")
    rows = table(reports)
    assert [(name, row["score"]) for name, row in rows.items()] == [("ada", "100.0"), ("bob", "100.0")]
    assert (rows["ada"]["notes"], rows["bob"]["notes"]) == ("", "Graded again: 50.0 points before.")
    assert "Graded again: 50.0 points before." in (reports / "students" / "bob" / "report.md").read_text(
        encoding="utf-8"
    )
    [earlier] = (reports / "earlier").iterdir()
    assert (earlier / "grades.csv").read_text(encoding="utf-8") == before
    assert [path.name for path in (earlier / "students").iterdir()] == ["bob"]
    assert (reports / "class.html").read_bytes() == page and "class.html still shows an earlier run." in said
    assert "before   " in said and earlier.name in said
    said = grade(course, handed_in, "--output", reports, "--only", "bobby", code=1)
    assert "There is no student 'bobby'. Did you mean bob?" in said
    assert table(reports) == rows
    saved = (reports / "grades.csv").read_text(encoding="utf-8").replace(",", ";")
    (reports / "grades.csv").write_text(saved, encoding="utf-8")
    said = grade(course, handed_in, "--output", reports, "--only", "bob")
    assert "another program has changed its form, so the other students' rows are only in" in said
    assert [*table(reports)] == ["bob"] and (reports / "class.html").read_bytes() == page
    assert saved in {path.read_text(encoding="utf-8") for path in reports.glob("earlier/*/grades.csv")}
    shutil.rmtree(handed_in / "bob")
    said = grade(course, handed_in, "--output", reports)
    assert [*table(reports)] == ["ada"] and "another program" not in said, "bob is gone"


# --- hidden tests -----------------------------------------------------------------------------------------------------

SECRET = 271_828
HIDDEN = f"""
import pytest
from small.toys import double, halve

try:
    double({SECRET})
except Exception:
    pass


@pytest.mark.points(5)
def test_the_first_calls():
    assert [double(5), double(5)] == [1, 2]


@pytest.mark.points(5)
def test_a_secret():
    assert halve(2 * {SECRET}) == {SECRET}
"""
TELLTALE = """
seen = []


def tell(number):
    seen.append(number)
    print("seen", seen)
    try:
        open("seen", "a").write(f"{number} ")
        seen.extend(open("seen").read().split())
        open(f"/nowhere/{seen}")
    except OSError:
        pass


def double(number):
    tell(number)
    return 2 * number


def halve(number):
    tell(number)
    raise RuntimeError(f"seen {seen}")
"""
COUNTS = "calls = []\ndef double(number):\n    calls.append(number)\n    return len(calls)\n"


@pytest.mark.timeout(300)
@pytest.mark.whole
def test_hidden_tests_reach_no_student_and_see_a_process_that_has_seen_nothing(course, tmp_path):
    loops = f"def double(number):\n    while number == {SECRET}: pass\n    return 2 * number"
    halve = RIGHT.split("\n\n\n")[1]
    codes = {"tells": TELLTALE, "counts": COUNTS + halve, "loops": f"{loops}\n{halve}"}
    codes["misses"] = f"import nothing_of_this_name\n{halve}"
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "test_secret.py").write_text(HIDDEN, encoding="utf-8")
    # Others may write to the folder for temporary files; pytest reads nothing there.
    (tmp_path / "temporary $HOME" / "conftest.py").write_text("raise SystemExit", encoding="utf-8")
    reports = tmp_path / "reports"
    grade(course, hand_in(tmp_path, codes), "--output", reports, "--hidden", tmp_path / "hidden", change="less_time")
    rows = table(reports)
    assert float(rows["counts"]["hidden test_secret.py"]) == 10
    assert [float(rows["loops"][title]) for title in TITLES] == [30, 30, 40]
    assert "line 1 is left out: import nothing_of_this_name (ModuleNotFoundError" in rows["misses"]["notes"]
    report = (reports / "students" / "tells" / "report.md").read_text(encoding="utf-8")
    assert "seen" in report and str(SECRET) not in report
    grade_json = (reports / "students" / "tells" / "grade.json").read_text(encoding="utf-8")
    assert '"hidden tests"' in grade_json and str(SECRET) not in grade_json and "test_secret" not in grade_json


# --- what ends early --------------------------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.timeout(600)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_ended_from_outside_it_leaves_no_process_and_what_is_graded(course, how, tmp_path):
    temporary = tmp_path / "temporary $HOME"
    endless = f"import time\nwhile True:\n    time.sleep(1)\n{RIGHT}"
    process = start(course, hand_in(tmp_path, {"ada": RIGHT, "eve": endless}), "--output", tmp_path / "out")
    wait_until(lambda: (tmp_path / "out" / "grades.csv").exists())
    process.send_signal(how)
    if how == signal.SIGTERM:
        # As `timeout` does: to the process, and to its group.
        time.sleep(0.02)
        process.send_signal(how)
    process.communicate()
    assert process.returncode in (129, 130, 143, -signal.SIGKILL)
    wait_until(lambda: not processes_that_name(tmp_path))
    assert how == signal.SIGKILL or list(temporary.iterdir()) == []
    assert {name: row["score"] for name, row in table(tmp_path / "out").items()} == {"ada": "100.0"}
    assert (tmp_path / "out" / "students" / "ada" / "report.md").exists()


@pytest.mark.whole
@pytest.mark.timeout(900)
def test_the_answer_key_has_full_marks_in_every_module(course_template, tmp_path):
    answered = copy_course(course_template, tmp_path / "answered")
    write_answers(answered, all_exercises())
    submission = tmp_path / "ada"
    submission.mkdir()
    for module in modules().values():
        # The key may take from the exercise file what that file itself defines.
        text = answered.path(module.exercise_path).read_text(encoding="utf-8")
        own = re.sub(rf"(?m)^from {re.escape(module.import_name)} import .*\n", "", text)
        (submission / f"{module.file}.py").write_text(own, encoding="utf-8")
    with Session(list(modules()), trust=True, jobs=2) as session:
        graded = session.grade(one_submission(submission))
    lost = {mark.group.shown: mark.failures[0] for mark in graded.groups if mark.points != mark.group.points}
    assert lost == {} and graded.notes == []
    assert graded.score == sum(module.points for module in modules().values())


# --- module 04 --------------------------------------------------------------------------------------------------------

LOSES_THE_LAST_ID = """
merged, position = [], 0
while position < len(ids) - 1:
    if (ids[position], ids[position + 1]) == pair:
        merged.append(new_id)
        position += 2
    else:
        merged.append(ids[position])
        position += 1
return merged"""
CIRCULAR = {
    "        ids = []\n        for piece": "        self.decode([])\n        ids = []\n        for piece",
    "        tokens = []\n": "        self.encode('')\n        tokens = []\n",
}
NAMES_THE_KEY = """
        if "key" in type(self).encode.__code__.co_filename:
            raise type("AnswerKey", (Exception,), {})
        raise NotImplementedError("TODO: decode")"""
PARTS = ("_get_pair_counts", "_merge", "train_step", "encode", "decode", "all together")


@pytest.mark.timeout(600)
@pytest.mark.whole
def test_a_mistake_costs_the_points_of_its_exercise_and_no_others():
    other = (REPOSITORY / "tests/course/right/04/numpy_arrays.py").read_text(encoding="utf-8")
    codes = {
        "another right solution": other.replace("bpe import BPETokenizer as", "base import BPEBase as"),
        "loses the last ID": all_but("_merge", LOSES_THE_LAST_ID),
        "empties its argument": all_but("_merge", "ids.clear()\nreturn ids"),
        "circular": reduce(lambda code, change: code.replace(*change), CIRCULAR.items(), solved()),
        "names the key": with_body(solved(*PARTS[:3]), "decode", NAMES_THE_KEY),
        "empty": "",
    }
    submissions = [Submission(name, {"bpe": code.encode()}) for name, code in codes.items()]
    with Session(["04"], trust=True, jobs=2) as session:
        grades = {grade.name: grade for grade in session.grade_all(submissions)}
    found = {
        name: {title.removeprefix("04 "): points for title, points in each.by_title().items()}
        for name, each in grades.items()
    }
    for points in found.values():
        points[PARTS[-1]] //= 15  # Only whether all of them are there.
        points[PARTS[-1]] *= 15
    assert found == {
        "another right solution": dict(zip(PARTS, (15, 20, 20, 20, 10, 15))),
        "loses the last ID": dict(zip(PARTS, (15, Fraction(135, 13), 20, 20, 10, 0))),
        # The tests that run again have lists that this code has not emptied.
        "empties its argument": dict(zip(PARTS, (15, 0, 20, 20, 10, 0))),
        # With the answer key's code for the other one, each of the two would pass; only the later one gets it.
        "circular": dict(zip(PARTS, (15, 20, 20, 0, 10, 0))),
        "names the key": dict(zip(PARTS, (15, 20, 20, 0, 0, 0))),
        "empty": dict.fromkeys(PARTS, 0),
    }
    assert grades["names the key"].notes == []
    assert grades["empty"].notes == ["The code does not define BPETokenizer."], "said once"
    grade = grades["loses the last ID"]
    assert [(one.module_id, one.name) for one in grade.mistakes] == [("04", "the last ID is lost")]
    assert any(note.startswith("Recognized in _merge: the last ID is lost. ") for note in grade.notes)
    text = report(grade).replace("\\", "")
    assert "Your _merge made further tests fail; these points are with the key's _merge." in text
    assert "key's _merge and train_step" not in text, "a right exercise is not blamed"
    assert "Came back:" in text and "You may have thought" not in text and "Mistake:" not in text


def test_a_test_that_the_key_fails_in_grading_is_named_before_a_class_fails_it(course):
    course.replace("tests/test_doubling.py", "assert double(4) == 8", "assert double(type('Four', (int,), {})(4)) == 8")
    done = course.run("-m", "coach.grading.session", "91")
    assert done.returncode == 1 and "in_process" in done.stderr
    assert "these tests fail in grading:\ntests/test_doubling.py::TestDouble::test_four\n" in done.stderr


def test_by_the_key_an_exercise_returns_nothing_whatever_its_annotation(course):
    course.replace("small/toys/doubling.py", "def double(number: int) -> int", "def double(number)")
    course.replace("small/solutions/doubling.py", "    return number + number", "    number.append(1)")
    found = course.python("from coach.grading.boundary import _wanted; print(*_wanted().values())")
    assert found == "(('double', False), ('halve', True))\n"
