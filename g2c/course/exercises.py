"""The course's modules and exercises, read from exercises.toml and checked.

>>> [exercise.name for exercise in modules()["04"].exercises]
['_get_pair_counts', '_merge', 'train_step', 'encode', 'decode']
"""

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from g2c.common.answer_key import KEYS
from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY

LIST = Path(__file__).with_name("exercises.toml")
HINTS = 3
_TEXTS = ("title", "package", "file", "suite", "notebook", "handout")


@dataclass(frozen=True)
class Exercise:
    """One TODO: a method, or a function when `class_name` is None."""

    module_id: str
    name: str
    class_name: str | None
    groups: tuple[str, ...]
    points: int
    hints: tuple[str, ...]

    @property
    def qualified_name(self) -> str:
        """The name as it stands in the exercise file: "BPETokenizer.encode", or "pad_batch" for a function."""
        return f"{self.class_name}.{self.name}" if self.class_name else self.name

    @property
    def short_name(self) -> str:
        """The shortest name by which `find_exercise` finds it: without its class where no other has the same name."""
        is_alone = [exercise.name for exercise in all_exercises()].count(self.name) == 1
        return self.name if is_alone else self.qualified_name


@dataclass(frozen=True)
class Module:
    """An exercise file with its answer key, suite, notebook and handout. Paths are relative to the repository.

    `needs` lists earlier modules whose exercises the suite and the notebook call.
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

    @property
    def keys(self) -> str:
        """What G2C_SOLUTIONS has to be so that all of this module runs with the answer key.

        >>> modules()["04"].keys
        '04'
        """
        return ",".join([*self.needs, self.id])

    @property
    def import_name(self) -> str:
        """The exercise file as Python imports it: "g2c.tokenizer.bpe"."""
        return f"{self.package}.{self.file}"

    @property
    def key_import_name(self) -> str:
        """The same for the answer key: "g2c.solutions.bpe"."""
        return f"{KEYS}.{self.file}"

    @property
    def exercise_path(self) -> str:
        """The exercise file, relative to the repository: "g2c/tokenizer/bpe.py"."""
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
    def public_names(self) -> tuple[str, ...]:
        """The classes and functions that the exercise file gives to its package, each once."""
        return tuple(dict.fromkeys(exercise.class_name or exercise.name for exercise in self.exercises))

    @property
    def groups(self) -> tuple[str, ...]:
        """Every test group of the suite, in the order in which a student meets them."""
        return (*self.given, *(group for exercise in self.exercises for group in exercise.groups), *self.together)

    @property
    def points(self) -> int:
        return self.together_points + sum(exercise.points for exercise in self.exercises)

    def exercise_of(self, group: str) -> Exercise | None:
        """The exercise that a test group belongs to; None for the groups in `given` and `together`."""
        return next((exercise for exercise in self.exercises if group in exercise.groups), None)


@lru_cache(maxsize=1)
def modules() -> dict[str, Module]:
    """Module ID -> module, in the course's order."""
    return parse(LIST.read_text(encoding="utf-8"))


def all_exercises() -> list[Exercise]:
    """Every exercise of every module, in the course's order."""
    return [exercise for module in modules().values() for exercise in module.exercises]


def find_exercise(name: str) -> Exercise:
    """The exercise called `name`: "train_step", "BPETokenizer.encode", or with its module "04:encode".

    Raises:
        CourseError: no exercise has this name, or more than one has.

    >>> find_exercise("04:encode").qualified_name
    'BPETokenizer.encode'
    """
    module_id, _, plain_name = name.rpartition(":")
    known = [exercise for exercise in all_exercises() if module_id in ("", exercise.module_id)]
    found = [exercise for exercise in known if plain_name in (exercise.name, exercise.qualified_name)]
    if not found:
        names = ", ".join(exercise.qualified_name for exercise in known or all_exercises())
        raise CourseError(f"There is no exercise {name!r}. The exercises are: {names}.")
    if len(found) > 1:
        names = " or ".join(exercise.qualified_name for exercise in found)
        raise CourseError(f"There is more than one exercise {name!r}. Say which: {names}.")
    return found[0]


def parse(text: str) -> dict[str, Module]:
    """Read a list of modules.

    Raises:
        CourseError: `text` is not TOML, an entry lacks a field or has one too many, a field is of the wrong kind, or a
            name stands twice. The message says where.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{LIST.name} is not valid TOML: {error}.") from None
    modules = [_module(fields) for fields in _tables(tables, "module", "The list of modules")]
    _refuse_rest(tables, "The list of modules")
    _refuse_twice([module.id for module in modules], "module ID")
    _refuse_twice([module.file for module in modules], "exercise file")
    _refuse_twice([name for module in modules for name in module.public_names], "public name")
    for place, module in enumerate(modules):
        for needed in set(module.needs) - {earlier.id for earlier in modules[:place]}:
            raise CourseError(f"{LIST.name}: Module {module.id} needs {needed!r}, which is no module before it.")
    return {module.id: module for module in modules}


def _module(fields: dict) -> Module:
    where = f"Module {fields.get('id', '?')}"
    module_id = _take(fields, "id", str, where)
    exercises = tuple(_exercise(entry, module_id) for entry in _tables(fields, "exercise", where))
    module = Module(
        id=module_id,
        **{name: _take(fields, name, str, where) for name in _TEXTS},
        given=_strings(fields, "given", where),
        together=_strings(fields, "together", where),
        together_points=_take(fields, "together_points", int, where),
        exercises=exercises,
        needs=_strings(fields, "needs", where) if "needs" in fields else (),
    )
    _refuse_rest(fields, where)
    if module.together_points < 0:
        raise CourseError(f"{LIST.name}: {where} has {module.together_points} points for its groups together.")
    _refuse_twice([exercise.qualified_name for exercise in exercises], f"exercise of module {module_id}")
    _refuse_twice(module.groups, f"test group of module {module_id}")
    return module


def _exercise(fields: dict, module_id: str) -> Exercise:
    where = f"Module {module_id}, exercise {fields.get('name', '?')}"
    exercise = Exercise(
        module_id=module_id,
        name=_take(fields, "name", str, where),
        class_name=_take(fields, "class", str, where) if "class" in fields else None,
        groups=_strings(fields, "groups", where),
        points=_take(fields, "points", int, where),
        hints=_strings(fields, "hints", where),
    )
    _refuse_rest(fields, where)
    if not exercise.groups:
        raise CourseError(f"{LIST.name}: {where} has no test group.")
    if exercise.points <= 0:
        raise CourseError(f"{LIST.name}: {where} has {exercise.points} points; it needs at least 1.")
    if len(exercise.hints) != HINTS:
        raise CourseError(f"{LIST.name}: {where} has {len(exercise.hints)} hints; it needs {HINTS}.")
    return exercise


def _take(fields: dict, name: str, kind: type, where: str):
    """Remove a field from `fields` and return it; what is left over in the end is a mistake."""
    if name not in fields:
        raise CourseError(f"{LIST.name}: {where} lacks {name!r}.")
    value = fields.pop(name)
    if type(value) is not kind or value == "":
        raise CourseError(f"{LIST.name}: {where}: {name!r} is {value!r}, but must be a {kind.__name__}, not empty.")
    return value


def _tables(fields: dict, name: str, where: str) -> list[dict]:
    tables = _take(fields, name, list, where)
    if not tables or any(type(table) is not dict for table in tables):
        raise CourseError(f"{LIST.name}: {where}: {name!r} is not written as [[{name}]] tables.")
    return tables


def _strings(fields: dict, name: str, where: str) -> tuple[str, ...]:
    values = _take(fields, name, list, where)
    for value in values:
        if type(value) is not str or not value.strip():
            raise CourseError(f"{LIST.name}: {where}: {name!r} holds {value!r}, which is no text, or an empty one.")
    return tuple(values)


def _refuse_rest(fields: dict, where: str) -> None:
    if fields:
        raise CourseError(f"{LIST.name}: {where} has fields that are not known: {', '.join(fields)}.")


def _refuse_twice(names, kind: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise CourseError(f"{LIST.name}: the {kind} {twice[0]!r} stands twice.")
