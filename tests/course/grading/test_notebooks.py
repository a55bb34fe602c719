"""Notebooks in submissions: their checked answers run where the exercises run, and count what the instructor says."""

import csv
import inspect
import json
import re
import zipfile
from fractions import Fraction

import pytest

from g2c.course.exercises import modules
from g2c.grading.class_report import write_class_report
from g2c.grading.constants import key_code
from g2c.grading.marks import Scheme
from g2c.grading.notebook_code import NotANotebook, run_definitions
from g2c.grading.reports import report
from g2c.grading.session import Session
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

NOTEBOOKS: dict[str, tuple[str | None, int]] = {
    "right": (RIGHT, 3),
    "untouched": (MODULE.notebook_file.read_text(encoding="utf-8").replace("04f", "04f "), 0),
    "wrong": (with_answer("beginnings", "return [word]"), 2),
    "endless": (with_answer("beginnings", "while True: pass"), 2),
    "ends its process": (with_answer("beginnings", "import os\nos._exit(0)"), 2),
    "forged": (with_answer("beginnings", FORGED + "\nreturn []", last=FORGED), 2),
    "looks for the answer": (with_answer("beginnings", LOOKS_FOR_THE_ANSWER), 2),
    "equals everything": (
        with_answer("beginnings", "return Equal()", first="class Equal:\n    def __eq__(self, other): return True"),
        2,
    ),
    "prints a result": (with_answer("beginnings", "print(['top', 'to', 't'])"), 2),
    "a broken cell": (with_answer("beginnings", "return [word", last="x = ("), 2),
    "ends the import": (with_answer("beginnings", "return []", last="class Last:\n    import os\n    os._exit(3)"), 0),
    "missing": (None, 0),
    "not a notebook": ("def f(): pass", 0),
    "notebook alone": (RIGHT, 3),
}
"""Name -> notebook, and how many of its three answers are right."""


# --- reading a notebook -----------------------------------------------------------------------------------------------


def names_after(*cells: str) -> dict:
    """The global names after the definitions of a notebook with these cells have run."""
    names: dict = {}
    run_definitions(notebook(*cells).encode(), names)
    return names


def test_what_an_answer_may_use_is_kept_and_nothing_else_is_run(capsys):
    names = names_after(
        "%matplotlib inline\nimport math\nfrom g2c.nowhere import something",
        "from math import nothing_of_this_name, pi",
        "SIZES = [1, 2]\nlearned = sum(SIZES)\nprint('no')",
        "def function(x):\n    '''Text\n    in lines'''\n    return x",
        "not Python",
    )
    assert names["function"](7) == 7 and names["SIZES"] == [1, 2] and names["math"] and names["pi"] > 3
    assert inspect.getdoc(names["function"]) == "Text\nin lines"
    assert "learned" not in names and capsys.readouterr().out == ""


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
    names = names_after("A = 1", cell, "B = 2")
    assert (names["A"], names["B"]) == (1, 2)
    assert ("math" in names) == ("math" in cell)


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
    names = names_after(cell)
    assert names["SIZE"] == 500
    assert ("size" in names) == ("lambda" in cell) and names.get("size", lambda: 500)() == 500


def test_a_line_of_a_text_is_no_command_of_jupyter():
    assert names_after('TEXT = """\n%d tokens\n!\n"""')["TEXT"] == "\n%d tokens\n!\n"


def test_what_stands_in_cells_of_text_is_not_counted_as_code():
    found = json.loads(notebook("A = 1"))
    found["cells"] += [{"cell_type": "markdown", "source": "x" * 2**21}, {"cell_type": "raw"}]
    names: dict = {}
    run_definitions(json.dumps(found).encode(), names)
    assert names["A"] == 1


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
        run_definitions(content, {})


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


# --- the class --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The grades of a class, with a notebook worth POINTS, and the folder of the reports."""
    folder = tmp_path_factory.mktemp("reports")
    code = MODULE.exercise_file.read_text(encoding="utf-8") + f"\n\n{key_code(MODULE, MODULE.exercises)}\n"
    exercises = {MODULE.file: code.encode()}
    submissions = []
    for name, (text, _) in NOTEBOOKS.items():
        files = {} if name == "notebook alone" else dict(exercises)
        submissions.append(Submission(name, files | ({NAME: text.encode()} if text else {})))
    with Session(["04f"], jobs=2, notebook_points=POINTS) as session:
        grades = {grade.name: grade for grade in session.grade_all(submissions)}
        kept = list((session.folder / "private").rglob("notebook_suite.*-pytest-*.pyc"))
        assert kept, "what pytest makes of the tests is kept for the next submission"
    write_class_report([(grades[submission.name], submission) for submission in submissions], folder)
    return grades, folder


@pytest.mark.whole
@pytest.mark.timeout(400)
class TestAClassWithNotebooks:
    def test_no_notebook_has_more_points_than_its_right_answers_and_no_exercise_loses_any(self, graded):
        scores = {name: grade.score for name, grade in graded[0].items()}
        expected = {name: 100 - POINTS + Fraction(POINTS * right, 3) for name, (_, right) in NOTEBOOKS.items()}
        assert scores == expected | {"notebook alone": POINTS}
        assert {grade.possible for grade in graded[0].values()} == {100}

    def test_reports_say_what_was_missing(self, graded):
        notes = {name: " ".join(grade.notes) for name, grade in graded[0].items()}
        assert f"{NAME} was not handed in." in notes["missing"]
        assert f"{MODULE.file}.py was not handed in." in notes["notebook alone"]
        assert f"{NAME} cannot be imported: it is not in Jupyter's format." in notes["not a notebook"]
        assert f"{NAME} cannot be imported: it ended its process" in notes["ends the import"]
        text = report(graded[0]["wrong"])
        assert "Came back:  ['top']" in text and "Expected:   ['top', 'to', 't']" in text
        assert "| 04f | notebook | 20 of 30 | 2 of 3 |" in text

    def test_the_table_has_the_points_of_the_notebook(self, graded):
        with (graded[1] / "grades.csv").open(encoding="utf-8", newline="") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        assert (rows["wrong"]["04f notebook"], rows["missing"]["04f notebook"]) == ("20.0", "0.0")


def test_answers_share_the_points_of_notebooks_and_exercises_are_scaled_to_the_rest():
    answers = [f"g2c/grading/notebook_suite.py::test_answer[04:{name}]" for name in ("comes_back", "earliest")]
    suite = "tests/test_tokenizer.py::TestMerge::test_a"
    records = [
        {"collected": suite, "group": "TestMerge", "file": "tests/test_tokenizer.py", "points": None},
        {"test": suite, "outcome": "failed"},
        *({"collected": one, "group": "", "file": one.split("::")[0], "points": None} for one in answers),
        *({"test": one, "outcome": "failed"} for one in answers),
        {"finished": True},
    ]
    groups = {group.title: group for group in Scheme(records, ["04"], notebook_points=25).groups}
    assert (groups["_merge"].points, groups["notebook"].points) == (15, 25)
    assert list(groups["notebook"].nodes) == answers
