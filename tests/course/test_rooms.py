"""The dependency rule: imports go one way, from the upper rooms to the lower ones.

    page
    grading     lab
    course
    corpus
    engine
    formats    solutions
    language_model
    tokenizer
    common

Seen by grimp, which also finds imports inside functions and under TYPE_CHECKING. One file may import upward and inside
functions: g2c/tokenizer/forwarding.py, through which `tokenizer.train_exact(...)` reaches the engine.
"""

import ast
import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules

FLOORS = [
    {"common"},
    {"tokenizer"},
    {"language_model"},
    {"formats", "solutions"},
    {"engine"},
    {"corpus"},
    {"course"},
    {"grading", "lab"},
    {"page"},
]
"""Rooms from the bottom up. A room imports from itself and from the floors below it."""

EXCEPTION = "g2c.tokenizer.forwarding"

BESIDE_THE_EXERCISES = 8
"""Files, at most, that a student finds in the exercises' folder beside the exercises."""


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Module -> the modules of the course that it imports, without those of the exception."""
    grimp = pytest.importorskip("grimp", reason="imports are seen by grimp: pip install -e '.[check]'")
    graph = grimp.build_graph("g2c", cache_dir=None)
    return {
        module: set() if module == EXCEPTION else graph.find_modules_directly_imported_by(module)
        for module in graph.modules
    }


def floor_of(module: str) -> int | None:
    """The floor of a module's room; None for g2c itself and for `python -m g2c`."""
    room = (*module.split("."), "")[1]
    return next((number for number, rooms in enumerate(FLOORS) if room in rooms), None)


def test_every_room_has_its_floor():
    rooms = {path.name for path in (REPOSITORY / "g2c").iterdir() if (path / "__init__.py").is_file()}
    assert rooms == set().union(*FLOORS)


def test_no_module_imports_from_a_room_above_or_beside_its_own(imports):
    wrong = []
    for module, imported in imports.items():
        for other in imported:
            here, there = floor_of(module), floor_of(other)
            same_room = module.split(".")[1:2] == other.split(".")[1:2]
            if here is not None and there is not None and not same_room and there >= here:
                wrong.append(f"{module} imports {other}")
    assert wrong == [], "imports go from the upper rooms to the lower ones; see CONTRIBUTING.md"


def test_no_modules_import_each_other_in_a_circle(imports):
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_imports_of_the_course_stand_at_the_top_of_a_file():
    """An import inside a function hides a circle. Libraries may be imported late, where loading them takes long."""
    inside = []
    for path in sorted((REPOSITORY / "g2c").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"^[ \t]+(import|from) g2c", text, re.MULTILINE):
            continue  # parsing takes long, and most files have no import that is indented
        tree = ast.parse(text)
        functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for node in (node for function in functions for node in ast.walk(function)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "g2c" for name in names):
                inside.append(path.relative_to(REPOSITORY).as_posix())
    assert set(inside) == {f"{EXCEPTION.replace('.', '/')}.py"}


def test_a_class_or_a_constant_has_its_name_alone():
    """A word means one thing. The answer key has the names of the exercises, each package its EXERCISES."""
    where = defaultdict(set)
    for path in (REPOSITORY / "g2c").rglob("*.py"):
        for node in () if path.parent.name == "solutions" else ast.parse(path.read_text(encoding="utf-8")).body:
            assigned = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", ast.Pass())]
            names = [part.id for target in assigned for part in ast.walk(target) if isinstance(part, ast.Name)]
            for name in [node.name] if isinstance(node, ast.ClassDef) else names:
                if re.match("_?[A-Z]", name) and name != "EXERCISES":
                    where[name.lstrip("_")].add(path)
    assert {name: files for name, files in where.items() if len(files) > 1} == {}


@pytest.mark.parametrize("package", sorted({module.package for module in modules().values()}))
def test_the_folder_of_the_exercises_holds_little_else(package):
    folder = REPOSITORY / package.replace(".", "/")
    exercises = {module.exercise_file for module in modules().values()}
    beside = [path for path in folder.iterdir() if path.is_file() and Path(path) not in exercises]
    assert len(beside) <= BESIDE_THE_EXERCISES, f"beside the exercises stand {sorted(path.name for path in beside)}"


@pytest.mark.parametrize("room", ["common", "corpus", "course", "engine", "formats", "grading", "lab", "page"])
def test_the_floor_plan_of_a_room_names_every_file(room):
    folder = REPOSITORY / "g2c" / room
    plan = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    files = {path.name for path in folder.glob("*.py")} - {"__init__.py"}
    missing = sorted(name for name in files if name not in plan)
    assert missing == [], f"the docstring of g2c/{room}/__init__.py does not say what these files are for"
