"""The dependency rule: imports go one way, from the upper rooms to the lower ones, as CONTRIBUTING.md draws them.

Seen by grimp, which also finds imports inside functions and under TYPE_CHECKING. One file may import upward and inside
functions: g2c/tokenizer/above.py, through which `tokenizer.train_exact(...)` reaches the engine.
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

EXCEPTION = "g2c.tokenizer.above"

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


def test_every_room_has_its_floor():
    rooms = {path.name for path in (REPOSITORY / "g2c").iterdir() if (path / "__init__.py").is_file()}
    assert rooms == set().union(*FLOORS)


def test_no_module_imports_from_a_room_above_or_beside_its_own(imports):
    rooms = {module: (*module.split("."), "")[1] for module in imports}
    floors = {module: floor for floor, here in enumerate(FLOORS) for module, room in rooms.items() if room in here}
    wrong = [
        f"{module} imports {other}"
        for module, floor in floors.items()
        for other in imports[module]
        if rooms[other] != rooms[module] and floors.get(other, -1) >= floor
    ]
    assert wrong == [], "imports go from the upper rooms to the lower ones; see CONTRIBUTING.md"


def test_no_modules_import_each_other_in_a_circle(imports):
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_imports_of_the_course_stand_at_the_top_of_a_file():
    """An import inside a function hides a circle. Libraries may be imported late, where loading them takes long."""
    inside = set()
    for path in (REPOSITORY / "g2c").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        # Parsing takes long, and most files have no import that is indented.
        tree = ast.parse(text if re.search(r"^[ \t]+(import|from) g2c", text, re.MULTILINE) else "")
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]:
            if re.search(r"^ *(import|from) g2c\b", ast.unparse(function), re.MULTILINE):
                inside.add(path.relative_to(REPOSITORY).with_suffix("").as_posix())
    assert inside == set()


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
    missing = [path.name for path in folder.glob("[!_]*.py") if path.name not in plan]
    assert missing == [], f"the docstring of g2c/{room}/__init__.py does not say what these files are for"
