"""`python -m coach.missing` names everything that a module lacks; test_modules.py asks it of the course's own."""

import nbformat

HINTS = "a b c d e f g h"
FILES = {
    "docs/91-doubling.md": """`double`

<a id="pitfall-known"></a>
### Known
""",
    "mistakes/91/double.py": """
from coach.diagnosis.bank import mistake


@mistake("doubles nothing", why="It is tripled.", pitfall="nothing", group="TestNone")
def same(number):
    return number


@mistake("halves", why="It is doubled.", pitfall="known")
def halved(number):
    'Half of it.'
    return number // 2
""",
    "notebooks/checks/91-doubling.py": """
from coach.notebook_answers import answer


@answer(hints=["One."], wrong=["return 0"])
def other(function):
    pass
""",
}
FAULTS = {
    "small/toys/doubling.py": [
        ("def double(number: int)", "def double(number: int, times=2)"),
        ('raise NotImplementedError("TODO: halve")', 'raise NotImplementedError("TODO: halve")\n    return 0'),
        ("def halve", 'def third(number):\n    raise NotImplementedError("TODO: third")\n\n\n@print\ndef halve'),
    ],
    "small/solutions/doubling.py": [("def halve(", "def half(")],
    "small/toys/__init__.py": [
        ('"double": ("doubling", "91"), ', ""),
        ('"halve": ("doubling"', '"halve": ("counting"'),
    ],
    "tests/test_doubling.py": [
        ("class TestHalveOdd", "def test_odd(): ...\n\n\nclass OddTest(unittest.TestCase)"),
        ('student("91")', 'student("92")'),
        ("class TestBoth:", 'PLACE = dict(pitfall="place")\n\n\nclass TestBoth:'),
    ],
    "course.toml": [
        ('"Double, first hint.", "Double, second hint."', f'"{HINTS}", "{HINTS}"'),
        ('"Double, third hint."', f'"{HINTS} i"'),
        ('"Halve, first hint.", "Halve, second hint."', f'"{HINTS}", "{HINTS} i"'),
        ('"What halve teaches."', f'"What {HINTS * 3} teaches."'),
    ],
}
LACKS = """\
double has the parameters number, times=2; course.toml has number.
double needs three hints.
The lesson of double is a sentence of 40 to 160 characters.
halve has a decorator: an exercise is a function or a method of an object, which grading calls.
halve does not end in raise NotImplementedError("TODO: halve").
A hint for halve is a sentence that helps, not 'Halve, third hint.'.
docs/91-doubling.md does not name `halve`.
third has a TODO, and course.toml does not list it.
small/solutions/doubling.py lacks halve.
small/solutions/doubling.py defines half, which is no exercise.
EXERCISES of small.toys lacks double, against course.toml.
EXERCISES of small.toys says that halve is in counting, not in doubling.
double has no test marked @pytest.mark.core.
halve has no test marked @pytest.mark.core.
tests/test_doubling.py has no class TestHalveOdd.
OddTest of tests/test_doubling.py is no test class that course.toml lists.
test_odd of tests/test_doubling.py is no test class that course.toml lists.
tests/test_doubling.py needs the line pytestmark = pytest.mark.student('91').
halve has no wrong solution in mistakes.
mistakes/91/double.py, same: there is no group TestNone.
mistakes/91/double.py, same needs a docstring: what the student was thinking.
mistakes/91/outcomes.json was not made from what is here. Make it: python -m coach.diagnosis 91
docs/91-doubling.md needs a heading after the line <a id="pitfall-nothing"></a>.
docs/91-doubling.md needs a heading after the line <a id="pitfall-place"></a>.
notebooks/91-doubling.ipynb is not what its solution gives. Write it by: python -m coach.notebooks 91
The first code cell of the solution needs the line answers = Answers("91").
The answer four is not a function.
The cell after the answer four needs the line answers.check(four).
notebooks/checks/91-doubling.py has no check of four.
The solution has no answer other.
notebooks/checks/91-doubling.py: other needs two hints and a wrong variant.
"""


def test_every_fault_of_a_module_is_named(two_modules):
    cell = nbformat.v4.new_code_cell("### BEGIN ANSWER four\nfour = 4\n### END ANSWER")
    solution = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    for name, text in (FILES | {"notebooks/solutions/91-doubling.ipynb": solution}).items():
        two_modules.path(name).parent.mkdir(parents=True, exist_ok=True)
        two_modules.path(name).write_text(text, encoding="utf-8")
    for file, changes in FAULTS.items():
        for old, new in changes:
            two_modules.replace(file, old, new)
    assert two_modules.run("-m", "coach.missing", "91").stdout == LACKS


def test_a_file_that_is_missing_is_all_that_is_said(two_modules):
    assert two_modules.run("-m", "coach.missing", "92").stdout == "docs/92-counting.md is missing.\n"


def test_a_wrong_solution_that_fits_no_exercise_or_no_code_of_the_key_is_named(two_modules):
    two_modules.replace("course.toml", 'name = "add"', 'name = "__add__"')
    for file in ("small/toys/counting.py", "small/solutions/counting.py"):
        two_modules.replace(file, "def add", "def __add__")
    folder = two_modules.path("mistakes/92")
    folder.mkdir(parents=True)
    code = "from coach.diagnosis.bank import mistake\n"
    code += '@mistake("odd", why="odd", pitfall="odd", change={"odd": ""})\ndef none(): pass\n'
    not_there = "none changes 'odd', which the answer key has 0 times."
    no_exercise = "name the file after one exercise. The exercises are: Tally.__add__."
    for name, said in (("add", not_there), ("Tally.__add__", not_there), ("sub", no_exercise)):
        path = folder / f"{name}.py"
        path.write_text(code, encoding="utf-8")
        assert f"{name}.py: {said}" in two_modules.run("-m", "coach.diagnosis", "92").stderr
        path.unlink()
