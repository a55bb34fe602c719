"""Reads the course's modules and exercises from exercises.toml.

>>> [exercise.name for exercise in modules()["04"].exercises]
['_get_pair_counts', '_merge', 'train_step', 'encode', 'decode']
"""

import os
import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from g2c.common.answer_key import KEY_PACKAGE, VARIABLE, requested_modules, require_key
from g2c.common.errors import CourseError, did_you_mean
from g2c.common.paths import REPOSITORY

LIST = Path(__file__).with_name("exercises.toml")
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
    class_name: str | None = None
    given: bool = False
    """Whether a release contains the answer key's code for it. Such an exercise has no points."""

    @property
    def module(self) -> "Module":
        return modules()[self.module_id]

    @property
    def key(self) -> str:
        return f"{self.module_id}:{self.qualified_name}"

    @property
    def qualified_name(self) -> str:
        """Return the name as the exercise file writes it: "BPETokenizer.encode", or "pad_batch" for a function."""
        return f"{self.class_name}.{self.name}" if self.class_name else self.name

    @property
    def short_name(self) -> str:
        """Return the shortest name that `find_exercise` accepts: without the class if the method name is unique."""
        is_unique = [exercise.name for exercise in all_exercises()].count(self.name) == 1
        return self.name if is_unique else self.qualified_name


@dataclass(frozen=True)
class Milestone:
    artifact: str
    """The artifact that `command` writes. The milestone is reached when it is valid."""
    purpose: str
    command: str


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
    needs: tuple[str, ...] = ()
    pitfalls: str = ""
    milestone: Milestone | None = None
    sample: str | None = None
    """Python code that prints one line about a token of the student's own tokenizer, for the end screen."""

    @property
    def keys(self) -> str:
        """Return the value of G2C_SOLUTIONS that runs this whole module on the answer key: "04a,04b"."""
        return ",".join([*self.needs, self.id])

    @property
    def import_name(self) -> str:
        """Return the name by which Python imports the exercise file: "g2c.tokenizer.bpe"."""
        return f"{self.package}.{self.file}"

    @property
    def key_import_name(self) -> str:
        return f"{KEY_PACKAGE}.{self.file}"

    @property
    def exercise_path(self) -> str:
        """Return the exercise file, relative to the repository: "g2c/tokenizer/bpe.py"."""
        return f"{self.import_name.replace('.', '/')}.py"

    @property
    def exercise_file(self) -> Path:
        return REPOSITORY / self.exercise_path

    @property
    def key_file(self) -> Path:
        return REPOSITORY / f"{self.key_import_name.replace('.', '/')}.py"

    @property
    def suite_file(self) -> Path:
        return REPOSITORY / self.suite

    @property
    def notebook_file(self) -> Path:
        return REPOSITORY / self.notebook

    @property
    def solution_file(self) -> Path:
        return self.notebook_file.parent / "solutions" / self.notebook_file.name

    @property
    def checks_file(self) -> Path:
        return self.notebook_file.parent / "checks" / f"{self.notebook_file.stem}.py"

    @property
    def working_copy(self) -> Path:
        return self.notebook_file.parent / "mine" / self.notebook_file.name

    @cached_property
    def public_names(self) -> tuple[str, ...]:
        """List the classes and functions of the exercise file that the package exports."""
        return tuple(dict.fromkeys(exercise.class_name or exercise.name for exercise in self.exercises))

    @property
    def groups(self) -> tuple[str, ...]:
        """List the test groups of the suite in the order in which a student works through them."""
        return (*self.given, *(group for exercise in self.exercises for group in exercise.groups), *self.together)

    @property
    def points(self) -> int:
        return self.together_points + sum(exercise.points for exercise in self.exercises)

    def exercise_of(self, group: str) -> Exercise | None:
        """Find the exercise that a test group belongs to; None for the groups in `given` and `together`."""
        return next((exercise for exercise in self.exercises if group in exercise.groups), None)


@cache
def modules() -> dict[str, Module]:
    """Return module ID -> module, in the course's order."""
    tables = tomllib.loads(LIST.read_text(encoding="utf-8"))["module"]
    return {table["id"]: _module(table) for table in tables}


def chosen_modules(module_ids: Collection[str]) -> list[Module]:
    """Return the modules with these IDs, in the course's order. CourseError: an ID does not exist."""
    for module_id in module_ids:
        if module_id not in modules():
            raise CourseError(f"There is no module {module_id!r}. The modules are: {', '.join(modules())}.")
    return [module for module in modules().values() if module.id in module_ids]


def modules_with_key() -> frozenset[str]:
    """Return the IDs of the modules for which `G2C_SOLUTIONS` requests the answer key.

    Raises:
        CourseError: the variable names a module that does not exist, or this copy of the course has no answer key.
    """
    requested = requested_modules()
    if requested:
        require_key()
    if requested == ("all",):
        return frozenset(modules())
    for module_id in requested:
        if module_id not in modules():
            raise CourseError(
                f"{VARIABLE}={os.environ[VARIABLE]!r} names the module {module_id!r}, which does not exist; "
                f"use all, or some of {','.join(modules())}."
            )
    return frozenset(requested)


def all_exercises() -> list[Exercise]:
    """List every exercise of every module, in the course's order."""
    return [exercise for module in modules().values() for exercise in module.exercises]


def find_exercise(name: str, module_in_work: Callable[[], Module | None] = lambda: None) -> Exercise:
    """Find an exercise by its name, "train_step", or with its class, "BPETokenizer.encode". Of several with the name,
    `module_in_work()` decides. CourseError: no exercise has the name, or several still do."""
    found = [exercise for exercise in all_exercises() if name in (exercise.name, exercise.qualified_name)]
    if not found:
        names = [exercise.qualified_name for exercise in all_exercises()]
        meant = did_you_mean(name, [*names, *(exercise.name for exercise in all_exercises())])
        raise CourseError(f"There is no exercise {name!r}.{meant} The exercises are: {', '.join(names)}.")
    module = module_in_work() if len(found) > 1 else None
    found = [exercise for exercise in found if module and exercise.module_id == module.id] or found
    if len(found) > 1:
        names = [exercise.qualified_name for exercise in found]
        raise CourseError(f"Several exercises are called {name!r}. Name one of them: {', '.join(names)}.")
    return found[0]


def _module(table: dict[str, Any]) -> Module:
    for entry in table["exercise"]:
        # `class` is a keyword of Python.
        entry["class_name"] = entry.pop("class", None)
    exercises = tuple(Exercise(module_id=table["id"], **_fields(entry)) for entry in table.pop("exercise"))
    milestone = Milestone(**table.pop("milestone")) if "milestone" in table else None
    table.setdefault("pitfalls", table["handout"])
    return Module(exercises=exercises, milestone=milestone, **_fields(table))


def _fields(table: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
