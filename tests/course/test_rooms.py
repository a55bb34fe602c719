"""The dependency rule: imports go one way, from the upper rooms to the lower ones, as CONTRIBUTING.md draws them.

coach runs any course, so it imports nothing of g2c.

Seen by grimp, which also finds imports inside functions and under TYPE_CHECKING. One file may import upward and inside
functions: g2c/tokenizer/above.py, through which `tokenizer.train_exact(...)` reaches the engine.
"""

import ast
import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import modules

FLOORS = [
    {"coach.common"},
    {"coach"},
    {"coach.grading", "coach.page"},
    {"g2c.common"},
    {"g2c.tokenizer"},
    {"g2c.language_model"},
    {"g2c.formats", "g2c.solutions"},
    {"g2c.engine"},
    {"g2c.corpus"},
    {"g2c.commands", "g2c.lab"},
    {"g2c.page"},
]
"""Rooms from the bottom up. A room imports from itself and from the floors below it. "coach" stands for all of it
that is not named."""

WITH_COACH = {"g2c.commands", "g2c.page"}
"""The rooms of g2c that import more of coach than coach.common."""

PACKAGES = ("coach", "g2c")

EXCEPTION = "g2c.tokenizer.above"

BESIDE_THE_EXERCISES = 8
"""Files, at most, that a student finds in the exercises' folder beside the exercises."""


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Module -> the modules of the course that it imports, without those of the exception."""
    grimp = pytest.importorskip("grimp", reason="imports are seen by grimp: pip install -e '.[check]'")
    graph = grimp.build_graph("coach", "g2c", cache_dir=None)
    return {
        module: set() if module == EXCEPTION else graph.find_modules_directly_imported_by(module)
        for module in graph.modules
    }


def room_of(module: str) -> str:
    """The room of a module: "g2c.tokenizer" for "g2c.tokenizer.bpe"."""
    room = ".".join(module.split(".")[:2])
    return "coach" if room.startswith("coach.") and not any(room in floor for floor in FLOORS) else room


def test_every_room_has_its_floor():
    rooms = {f"g2c.{path.name}" for path in (REPOSITORY / "g2c").iterdir() if (path / "__init__.py").is_file()}
    assert rooms == {room for floor in FLOORS for room in floor if room.startswith("g2c.")}


def test_the_tokenizers_use_the_ground_floor_of_coach_alone(imports):
    wrong = [
        f"{module} imports {other}"
        for module, others in imports.items()
        for other in others
        if module.startswith("g2c.") and room_of(module) not in WITH_COACH
        if room_of(other) in ("coach", "coach.grading")
    ]
    assert wrong == []


def test_no_module_imports_from_a_room_above_or_beside_its_own(imports):
    rooms = {module: room_of(module) for module in imports}
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
    for path in (path for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        # Parsing takes long, and most files have no import that is indented.
        tree = ast.parse(text if re.search(r"^[ \t]+(import|from) (coach|g2c)\b", text, re.MULTILINE) else "")
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]:
            if re.search(r"^ *(import|from) (coach|g2c)\b", ast.unparse(function), re.MULTILINE):
                inside.add(path.relative_to(REPOSITORY).with_suffix("").as_posix())
    assert inside == set()


def test_a_class_or_a_constant_has_its_name_alone():
    """A word means one thing. The answer key has the names of the exercises, each package its EXERCISES."""
    where = defaultdict(set)
    for path in (path for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py")):
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


@pytest.mark.parametrize(
    "room",
    [
        *("coach", "coach/common", "coach/grading", "coach/page", "coach/setup"),
        *("g2c/commands", "g2c/common", "g2c/corpus", "g2c/engine", "g2c/formats", "g2c/lab", "g2c/page"),
    ],
)
def test_the_floor_plan_of_a_room_names_every_file(room):
    folder = REPOSITORY / room
    plan = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    missing = [path.name for path in folder.glob("[!_]*.py") if path.name not in plan]
    assert missing == [], f"the docstring of {room}/__init__.py does not say what these files are for"
