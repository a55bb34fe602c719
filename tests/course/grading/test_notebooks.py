"""Notebooks in submissions: their checked answers run where the exercises run, and count what the instructor says."""

import csv
import inspect
import json
import re
import zipfile
from fractions import Fraction

import pytest

from g2c.course.answer_list import answers_of
from g2c.course.exercises import modules
from g2c.grading.class_report import write_class_report
from g2c.grading.constants import solved_files
from g2c.grading.marks import Scheme
from g2c.grading.notebook_code import NotANotebook, notebook_code
from g2c.grading.reports import report
from g2c.grading.session import Asked, Session
from g2c.grading.submissions import Submission, find_submissions, one_submission

MODULE = modules()["04f"]
NAME = MODULE.notebook_file.name
RIGHT = MODULE.solution_file.read_text(encoding="utf-8")
POINTS = 30
"""What the notebook is worth in this class."""
BLOCK = r"( *)### BEGIN ANSWER {}\n.*?### END ANSWER"

LOOKS_FOR_THE_ANSWER = """
import gc, sys
for found in [sys._getframe(depth).f_locals for depth in range(12)] + gc.get_objects():
    if isinstance(found, dict) and "expected" in found:
        return found["expected"]
    if isinstance(found, list) and found in (["top", "to", "t"], ["zoo", "zebra"]):
        return found
"""


def notebook(*cells: str) -> str:
    sources = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"cells": sources, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def with_answer(name: str, code: str, *, first: str = "", last: str = "") -> str:
    """The right notebook with other code in place of one answer, and a cell before and after all others."""
    cells = ["".join(cell["source"]) for cell in json.loads(RIGHT)["cells"] if cell["cell_type"] == "code"]
    pattern = re.compile(BLOCK.format(name), re.DOTALL)

    def replaced(match: re.Match[str]) -> str:
        return "\n".join(match[1] + line for line in code.strip("\n").splitlines())

    return notebook(first, *(pattern.sub(replaced, cell) for cell in cells), last)


FORGED = """
from g2c.course import notebook_answers
import sys

class Answers:
    def __init__(self, module): pass
    def check(self, function): print(f"{function.__name__} is right.")
    hint = check

answers = Answers("04f")
answers.check = lambda function: True
def check(*arguments, **options): return True
def answer(*arguments, **options): return lambda function: True
for name in ("check", "call", "run_check", "test_answer", "graded"):
    for module in list(sys.modules.values()):
        if hasattr(module, name): setattr(module, name, lambda *arguments, **options: True)
"""

NOTEBOOKS = {
    "right": (RIGHT, 3),
    "stub": (MODULE.notebook_file.read_text(encoding="utf-8").replace("04f", "04f "), 0),
    "wrong": (with_answer("beginnings", "return [word]"), 2),
    "endless": (with_answer("beginnings", "while True: pass"), 2),
    "ends its process": (with_answer("beginnings", "import os\nos._exit(0)"), 2),
    "forged": (with_answer("beginnings", "return []", last=FORGED), 2),
    "forged in a function": (with_answer("beginnings", FORGED + "\nreturn []"), 2),
    "looks for the answer": (with_answer("beginnings", LOOKS_FOR_THE_ANSWER), 2),
    "equals everything": (
        with_answer("beginnings", "return Equal()", first="class Equal:\n    def __eq__(self, other): return True"),
        2,
    ),
    "prints a result": (with_answer("beginnings", "print(['top', 'to', 't'])"), 2),
    "a broken cell": (with_answer("beginnings", "return [word", last="x = ("), 2),
}


def of_student(name: str, files: dict[str, str | bytes]) -> Submission:
    content = {file: text.encode() if isinstance(text, str) else text for file, text in files.items()}
    return Submission(name, solved_files(["04f"]) | content)


# --- reading a notebook -----------------------------------------------------------------------------------------------


def test_what_an_answer_may_use_is_kept_and_nothing_else_is_run():
    cells = (
        "%matplotlib inline\nimport math\nfrom g2c.nowhere import something",
        "from g2c.tokenizer import A, B",
        "SIZES = [1, 2]\nlearned = train()\nprint('no')",
        "def function(x):\n    '''Text\n    in lines'''\n    return x",
        "not Python",
    )
    code = notebook_code(notebook(*cells).encode()).decode()
    space: dict = {}
    exec(code, space)
    assert space["function"](7) == 7 and space["SIZES"] == [1, 2] and space["math"]
    assert inspect.getdoc(space["function"]) == "Text\nin lines"
    assert "learned" not in code and "print" not in code
    assert "from g2c.tokenizer import A\n" in code and "from g2c.tokenizer import B\n" in code


@pytest.mark.parametrize(
    "cell",
    [
        "from __future__ import annotations\nimport math",
        "def twice(a, a): pass",
        "def outer():\n    nonlocal inner",
        "class Kind:\n    return 3",
        "def function():\n    break",
    ],
)
def test_a_cell_that_does_not_compile_leaves_the_others(cell):
    """Python finds some errors after parsing. `from __future__` is no error in a cell, though it is in a file."""
    space: dict = {}
    exec(notebook_code(notebook("A = 1", cell, "B = 2").encode()), space)
    assert (space["A"], space["B"]) == (1, 2)
    assert ("math" in space) == ("math" in cell)


@pytest.mark.parametrize(
    "cell",
    [
        "SIZE: int = 500",
        "SIZE, STEP = 500, 1",
        "size = lambda: 500\nSIZE = 500",
        "%%time\nSIZE = 500",
        "!ls\nfiles = !ls\nlen?\nSIZE = 500\nfor file in files:\n    !cat {file}\n",
        "SIZE = 500\r\nTEXT = 'text'\r\n",
        "SIZE = 500\nawait something()",
    ],
)
def test_names_for_literals_and_lambdas_are_kept_however_they_are_written(cell):
    space: dict = {}
    exec(notebook_code(notebook(cell).encode()), space)
    assert space["SIZE"] == 500
    assert ("size" in space) == ("lambda" in cell) and space.get("size", lambda: 500)() == 500


def test_a_line_of_a_text_is_no_command_of_jupyter():
    space: dict = {}
    exec(notebook_code(notebook('TEXT = """\n%d tokens\n!\n"""').encode()), space)
    assert space["TEXT"] == "\n%d tokens\n!\n"


def test_what_stands_in_cells_of_text_is_not_counted_as_code():
    found = json.loads(notebook("A = 1"))
    found["cells"] += [{"cell_type": "markdown", "source": "x" * 2**21}, {"cell_type": "raw"}]
    assert b"A = 1" in notebook_code(json.dumps(found).encode())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"def f(): pass", "it is not in Jupyter's format"),
        (b"\xff\xfe", "it is not in Jupyter's format"),
        (b"[" * 200_000, "it is not in Jupyter's format"),
        (b'{"cells": [3]}', "it is not in Jupyter's format"),
        (notebook("x" * 2**20, "y").encode(), "its cells have more than 1 MB of code"),
    ],
)
def test_what_is_not_a_notebook_is_refused_with_the_reason(content, reason):
    with pytest.raises(NotANotebook, match=reason):
        notebook_code(content)


def test_a_notebook_belongs_to_the_student_of_its_folder_or_name(tmp_path):
    for place in (
        f"ada/g2c/tokenizer/{MODULE.file}.py",
        f"ada/notebooks/mine/{NAME}",
        f"bob/{NAME}",
        f"eve_7_assignsubmission_file_/{NAME}",
    ):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(place)
    found = {one.name: sorted(one.files) for one in find_submissions([tmp_path])}
    assert found == {"ada": [NAME, MODULE.file], "bob": [NAME], "eve": [NAME]}


def test_a_notebook_as_it_was_handed_out_is_not_taken_for_work(tmp_path):
    (tmp_path / NAME).write_bytes(MODULE.notebook_file.read_bytes())
    assert one_submission(tmp_path).files == {}


def test_of_two_notebooks_the_working_copy_is_graded_whatever_the_order_in_a_zip(tmp_path):
    """The one beside it is as it was handed out, but for what an editor adds when it saves."""
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr(f"clone/notebooks/mine/{NAME}", RIGHT)
        archive.writestr(f"clone/notebooks/{NAME}", MODULE.notebook_file.read_bytes() + b"\n")
    (submission,) = find_submissions([tmp_path / "ada.zip"])
    assert submission.files == {NAME: RIGHT.encode()}
    assert any(f"more than one {NAME}; the last one, clone/notebooks/mine/{NAME}" in one for one in submission.notes)


def test_a_huge_notebook_is_not_read(tmp_path):
    with (tmp_path / NAME).open("wb") as file:
        file.truncate(17 * 2**20)
    submission = one_submission(tmp_path)
    assert submission.files == {}
    assert f"{NAME} is too large and was not read: the limit is 16 MB." in submission.notes


# --- checking its answers ---------------------------------------------------------------------------------------------


class AnswersAlone(Session):
    """A session that checks answers and gives no points."""

    def _make_scheme(self) -> None:
        pass


def outcomes(session: Session, text: str) -> dict[str, tuple[str, str]]:
    asked = Asked(solved_files(["04f"]) | {NAME: text.encode()}, suites=False)
    [(_, run)] = session._runs([(0, asked)])
    found = {record["test"]: (record["outcome"], record["message"]) for record in run.records if "test" in record}
    return {node.partition(":")[2].rpartition(":")[2].rstrip("]"): value for node, value in found.items()}


@pytest.fixture(scope="module")
def alone():
    with AnswersAlone(["04f"], jobs=2, notebooks=["04f"]) as session:
        yield session


@pytest.mark.whole
def test_right_answers_pass_and_a_wrong_one_fails_with_its_report(alone):
    assert {name: outcome for name, (outcome, _) in outcomes(alone, RIGHT).items()} == dict.fromkeys(
        answers_of(MODULE), "passed"
    )
    outcome, message = outcomes(alone, NOTEBOOKS["wrong"][0])["beginnings"]
    assert outcome == "failed"
    assert "Came back:  ['top']" in message and "Expected:   ['top', 'to', 't']" in message


@pytest.mark.whole
def test_what_pytest_makes_of_the_tests_is_kept_for_the_next_submission(alone):
    outcomes(alone, RIGHT)
    assert list((alone.course / "g2c" / "grading" / "__pycache__").glob("notebook_suite.*-pytest-*.pyc"))


@pytest.mark.whole
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_notebook_has_more_right_answers_than_it_should(alone, name):
    text, right = NOTEBOOKS[name]
    found = outcomes(alone, text)
    assert sum(outcome == "passed" for outcome, _ in found.values()) == right
    if right == 2:
        assert found["beginnings"][0] == "failed"


@pytest.mark.whole
@pytest.mark.parametrize("code", ["import os\n    os._exit(3)", "raise SystemExit(3)", "while True: pass"])
def test_a_notebook_that_cannot_be_imported_is_named_as_the_student_knows_it(alone, code):
    text = with_answer("beginnings", "return []", last=f"class Last:\n    {code}")
    for outcome, message in outcomes(alone, text).values():
        assert outcome == "failed" and f"ImportError: {NAME} " in message and "notebook_04f.py cannot" not in message


# --- the class --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The grades of a class, with a notebook worth POINTS, and the folder of the reports."""
    folder = tmp_path_factory.mktemp("reports")
    submissions = {
        "right": of_student("right", {NAME: RIGHT}),
        "wrong": of_student("wrong", {NAME: NOTEBOOKS["wrong"][0]}),
        "missing": of_student("missing", {}),
        "not a notebook": of_student("not a notebook", {NAME: "def f(): pass"}),
        "notebook alone": Submission("notebook alone", {NAME: RIGHT.encode()}),
    }
    with Session(["04f"], jobs=2, notebooks=["04f"], notebook_points=POINTS) as session:
        grades = sorted(session.grade_all(list(submissions.values())), key=lambda grade: grade.name)
    write_class_report([(grade, submissions[grade.name]) for grade in grades], folder)
    return {grade.name: grade for grade in grades}, folder


@pytest.mark.whole
@pytest.mark.timeout(300)
class TestAClassWithNotebooks:
    def test_the_points_are_shared_between_exercises_and_notebook(self, graded):
        grades, _ = graded
        assert {grade.possible for grade in grades.values()} == {100}
        scores = {name: grade.score for name, grade in grades.items()}
        assert scores["right"] == 100
        assert scores["wrong"] == 100 - Fraction(POINTS, 3)
        assert scores["missing"] == scores["not a notebook"] == 100 - POINTS

    def test_answers_that_need_no_exercise_count_without_one(self, graded):
        grade = graded[0]["notebook alone"]
        assert grade.score == POINTS
        assert f"{MODULE.file}.py was not handed in." in grade.notes

    def test_reports_say_what_was_missing(self, graded):
        grades, _ = graded
        assert f"{NAME} was not handed in." in grades["missing"].notes
        note = f"{NAME} cannot be imported: NotANotebook: it is not in Jupyter's format."
        assert note in grades["not a notebook"].notes
        assert "Came back:  ['top']" in report(grades["wrong"])

    def test_the_tables_have_the_number_of_right_answers(self, graded):
        grades, folder = graded
        with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        assert {name: row["04f notebook answers"] for name, row in rows.items()} == {
            "right": "3 of 3",
            "wrong": "2 of 3",
            "missing": "0 of 3",
            "not a notebook": "0 of 3",
            "notebook alone": "3 of 3",
        }
        assert rows["wrong"]["04f notebook"] == "20.0"
        page = (folder / "class.html").read_text(encoding="utf-8")
        assert '<th class="number">notebook</th>' in page and '<td class="number">2 of 3</td>' in page


def test_without_points_the_answers_are_reported_and_count_nothing():
    answers = [f"g2c/grading/notebook_suite.py::test_answer[04:{name}]" for name in ("comes_back", "earliest")]
    suite = "tests/test_tokenizer.py::TestMerge::test_a"
    records = [
        {"collected": suite, "group": "TestMerge", "file": "tests/test_tokenizer.py", "points": None},
        {"test": suite, "outcome": "failed", "message": ""},
        *({"collected": one, "group": "", "file": one.split("::")[0], "points": None} for one in answers),
        *({"test": one, "outcome": "failed", "message": ""} for one in answers),
        {"end": 1},
    ]
    right = [{"test": one, "outcome": "passed", "message": ""} for one in [suite, *answers]]
    for points, merge in ((0, 20), (25, 15)):
        scheme = Scheme(records, ["04"], answers=right[1:], notebook_points=points)
        found = {group.title: (group.points, group.nodes) for group in scheme.groups}
        assert found == {"_merge": (merge, (suite,)), "notebook": (points, tuple(answers))}
        assert sum(mark.points for mark in scheme.mark(right)) == merge + points
    # An answer that the answer key does not pass where submissions are graded does not count.
    assert len(Scheme(records, ["04"], answers=right[1:2]).groups[-1].nodes) == 1
