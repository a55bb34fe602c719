"""Reads the course's modules and exercises from course.toml.

>>> [exercise.name for exercise in modules()["04"].exercises]
['_get_pair_counts', '_merge', 'train_step', 'encode', 'decode']
"""

import os
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from coach.common.answer_key import VARIABLE, has_key, key_of, requested_modules, require_key
from coach.common.course_file import course_file
from coach.common.errors import CourseError, did_you_mean
from coach.common.paths import REPOSITORY

BANK = REPOSITORY / "mistakes"
"""It has a folder for each module, with wrong solutions and with descriptions of its objects for reports."""


@dataclass(frozen=True)
class Exercise:
    """Describes one TODO: a method, or a function when `class_name` is None."""

    module_id: str
    name: str
    parameters: str
    """As in the def line that students get, without types: "self, ids, *, barrier_ids=None"."""
    groups: tuple[str, ...]
    points: int
    lesson: str
    """What a student reads when it passes: why it worked, or what it is for."""
    hints: tuple[str, ...]
    class_name: str | None
    qualified_name: str
    """As the exercise file writes it: "BPETokenizer.encode", or "loss_mask" for a function."""
    short_name: str
    """The shortest name that `find_exercise` accepts: without the class if the method name is unique."""

    @property
    def module(self) -> "Module":
        return modules()[self.module_id]

    @property
    def key(self) -> str:
        return f"{self.module_id}:{self.qualified_name}"


@dataclass(frozen=True)
class Milestone:
    purpose: str
    command: str
    artifact: str = ""
    """The artifact that `command` writes, if any. The milestone is reached when this artifact is valid."""


@dataclass(frozen=True)
class Module:
    """Lists what belongs to an exercise file: key, suite, notebook and handout. Paths are relative to the repository.

    `needs` lists earlier modules whose exercises the suite and the notebook call. `pitfalls` is the page that explains
    common mistakes: the handout, unless they have their own page.
    """

    id: str
    title: str
    package: str
    file: str
    suite: str
    notebook: str
    handout: str
    given: tuple[str, ...]
    together: tuple[str, ...]
    together_points: int
    exercises: tuple[Exercise, ...]
    public_names: tuple[str, ...]
    """The classes and functions of the exercise file that the package exports."""
    groups: tuple[str, ...]
    """The test groups of the suite in the order in which a student works through them."""
    import_name: str
    """The name by which Python imports the exercise file: "g2c.tokenizer.bpe"."""
    key_import_name: str
    exercise_path: str
    """The exercise file, relative to the repository: "g2c/tokenizer/bpe.py"."""
    exercise_file: Path
    key_file: Path
    suite_file: Path
    notebook_file: Path
    solution_file: Path
    checks_file: Path
    working_copy: Path
    needs: tuple[str, ...] = ()
    pitfalls: str = ""
    milestone: Milestone | None = None

    @property
    def keys(self) -> str:
        """Return the value of G2C_SOLUTIONS that runs this whole module on the answer key: "04a,04b"."""
        return ",".join([*self.needs, self.id])

    @property
    def points(self) -> int:
        return self.together_points + sum(exercise.points for exercise in self.exercises)

    def exercise_of(self, group: str) -> Exercise | None:
        """Find the exercise that a test group belongs to; None for the groups in `given` and `together`."""
        return next((exercise for exercise in self.exercises if group in exercise.groups), None)


@cache
def counted_modules() -> list[Module]:
    """Return the modules that `g2c` and `g2c watch` lead through, in order: those that `modules` in course.toml names.

    CourseError: it names none, or one that does not exist.
    """
    wanted = course_file().get("modules", list(modules()))
    if "modules" in course_file() and not (wanted and all(one in modules() for one in wanted)):
        known = ", ".join(modules())
        raise CourseError(f"course.toml: the list `modules` is {wanted}. It needs one or more of the IDs {known}.")
    return [module for module in modules().values() if module.id in wanted]


@cache
def modules() -> dict[str, Module]:
    """Return module ID -> module, in the course's order. CourseError: course.toml has a mistake."""
    tables = course_file().get("module", [])
    times = Counter(entry.get("name", "") for table in tables for entry in table.get("exercise", ()))
    return {module.id: module for module in (_checked(table, times) for table in tables)}


def _checked(table: dict[str, Any], times: Counter[str]) -> Module:
    """Make a module. CourseError: a key is missing or unknown, or its points do not add up to 100."""
    where = f"course.toml, module {table.get('id', 'without id')}"
    try:
        module = _module(table, times)
    except KeyError as error:
        raise CourseError(f"{where} lacks the key {error}.") from None
    except TypeError as error:
        raise CourseError(f"{where}: {error}.") from None
    if module.points != 100:
        points = f"the points of its exercises and together_points add up to {module.points}, not to 100"
        raise CourseError(f"{where}: {points}.")
    return module


def _module(table: dict[str, Any], times: Counter[str]) -> Module:
    """Make a module from its table. `times` counts the exercises of a name in the course."""
    exercises = []
    for entry in table["exercise"]:
        class_name, name = entry.get("class"), entry["name"]
        full = f"{class_name}.{name}" if class_name else name
        names = {"class_name": class_name, "qualified_name": full, "short_name": name if times[name] == 1 else full}
        exercises.append(Exercise(table["id"], **_fields(entry, "class"), **names))
    import_name, key_name = f"{table['package']}.{table['file']}", f"{key_of(table['package'])}.{table['file']}"
    path, notebook = f"{import_name.replace('.', '/')}.py", REPOSITORY / table["notebook"]
    made = {
        "exercises": tuple(exercises),
        "public_names": tuple(dict.fromkeys(each.class_name or each.name for each in exercises)),
        "groups": (*table["given"], *(group for each in exercises for group in each.groups), *table["together"]),
        "import_name": import_name,
        "key_import_name": key_name,
        "exercise_path": path,
        "exercise_file": REPOSITORY / path,
        "key_file": REPOSITORY / f"{key_name.replace('.', '/')}.py",
        "suite_file": REPOSITORY / table["suite"],
        "notebook_file": notebook,
        "solution_file": notebook.parent / "solutions" / notebook.name,
        "checks_file": notebook.parent / "checks" / f"{notebook.stem}.py",
        "working_copy": notebook.parent / "mine" / notebook.name,
        "milestone": Milestone(**table["milestone"]) if "milestone" in table else None,
    }
    return Module(**{"pitfalls": table["handout"]} | _fields(table, "exercise") | made)


def _fields(table: dict[str, Any], without: str) -> dict[str, Any]:
    """Return the entries of a table but one, with tuples in place of lists."""
    entries = ((name, value) for name, value in table.items() if name != without)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in entries}


def chosen_modules(module_ids: Collection[str]) -> list[Module]:
    """Return the modules with these IDs, in the course's order. CourseError: an ID does not exist."""
    for module_id in module_ids:
        if module_id not in modules():
            raise CourseError(f"There is no module {module_id!r}. The modules are: {', '.join(modules())}.")
    return [module for module in modules().values() if module.id in module_ids]


def module_list(text: str) -> list[str]:
    """Read module IDs that are separated by commas; an option's argument ends at a space, so none may follow."""
    if text.rstrip().endswith(","):
        raise CourseError(f"--modules {text} ends with a comma. Write module IDs without spaces: --modules 04,04a.")
    return [name.strip() for name in text.split(",") if name.strip()]


@cache
def course_packages() -> tuple[str, ...]:
    """Return the packages above those with exercises, such as "g2c"; none if the course is installed as a library."""
    return tuple(dict.fromkeys(module.package.partition(".")[0] for module in modules().values()))


def has_answers() -> bool:
    """Tell whether this copy of the course has the answer key. Releases without answers have none."""
    return any(map(has_key, course_packages()))


def modules_with_key() -> frozenset[str]:
    """Return the IDs of the modules for which `G2C_SOLUTIONS` requests the answer key.

    Raises:
        CourseError: the variable names a module that does not exist, or this copy of the course has no answer key.
    """
    requested = requested_modules()
    if requested:
        for package in course_packages():
            require_key(package)
    if requested == ("all",):
        return frozenset(modules())
    for module_id in requested:
        if module_id not in modules():
            raise CourseError(
                f"{VARIABLE}={os.environ[VARIABLE]!r} names the module {module_id!r}, which does not exist; "
                f"use all, or some of {','.join(modules())}."
            )
    return frozenset(requested)


def module_of(test: str) -> Module | None:
    """Find the module whose suite contains a test, given as pytest's ID: "tests/test_tokenizer.py::TestMerge::test_x".

    The group is not enough: several suites have a `TestTrain`.
    """
    return next((module for module in modules().values() if module.suite == test.partition("::")[0]), None)


def all_exercises() -> list[Exercise]:
    """List every exercise of every module, in the course's order."""
    return [exercise for module in modules().values() for exercise in module.exercises]


def find_exercise(name: str, current: Callable[[], Module | None] = lambda: None) -> Exercise:
    """Find an exercise by its name, "train_step", or with its class, "BPETokenizer.encode". Of several with the name,
    that of the module `current()` is meant. CourseError: no exercise has the name, or several still do."""
    found = [exercise for exercise in all_exercises() if name in (exercise.name, exercise.qualified_name)]
    if not found:
        names = [exercise.qualified_name for exercise in all_exercises()]
        meant = did_you_mean(name, [*names, *(exercise.name for exercise in all_exercises())])
        raise CourseError(f"There is no exercise {name!r}.{meant} The exercises are: {', '.join(names)}.")
    module = current() if len(found) > 1 else None
    found = [exercise for exercise in found if module and exercise.module_id == module.id] or found
    if len(found) > 1:
        names = [exercise.qualified_name for exercise in found]
        raise CourseError(f"Several exercises are called {name!r}. Name one of them: {', '.join(names)}.")
    return found[0]
