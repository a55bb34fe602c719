"""Reads the mistake bank: wrong solutions as students write them, in mistakes/MODULE/EXERCISE.py.

Each is a function under the decorator `mistake`, which takes the place of the exercise's function, or a `change` of the
answer key's; docs/instructors.md has the form. mistakes/04/merge.py is for `BPETokenizer._merge`, as
BPETokenizer._merge.py would be. Files whose names begin with an underscore contain no wrong solutions.
"""

import copy
import linecache
import runpy
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from coach.common.errors import CourseError
from coach.diagnosis.table import WrongSolution
from coach.exercises import BANK, Module, modules
from coach.source import find_function
from coach.testing.report import Mistake


@dataclass(frozen=True, eq=False)
class Entry(WrongSolution):
    """Adds the code: a function, or its change of the answer key's function."""

    path: Path
    function: FunctionType
    change: Mapping[str, str] | None = None
    """Code of the answer key -> what takes its place, for a function without a body."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the test groups in which it can fail: those of its exercise and all after them."""
        groups = self.exercise.module.groups
        return groups[groups.index(self.exercise.groups[0]) :]

    def solution(self) -> dict[str, Any]:
        """Return the names of the answer key's file with the wrong function in its place. The file runs again each
        time, so that nothing lasts between calls, and the other functions use the wrong one."""
        module, name, qualified_name = self.exercise.module, self.exercise.name, self.exercise.qualified_name
        names: dict[str, Any] = {"__name__": module.key_import_name}
        exec(_key(module)[0], names)
        # A change uses the names of the key and of the bank's file.
        known = {**self.function.__globals__, **names} if self.change else self.function.__globals__
        written: Any = self.written
        code = written.__code__.replace(co_name=name, co_qualname=qualified_name)
        defaults, keyword_defaults = copy.deepcopy((written.__defaults__, written.__kwdefaults__))
        wrong = FunctionType(code, known, name, defaults)
        wrong.__kwdefaults__, wrong.__qualname__ = keyword_defaults, qualified_name
        if self.exercise.class_name:
            setattr(names[self.exercise.class_name], name, wrong)
        else:
            names[name] = wrong
        return names

    @cached_property
    def written(self) -> FunctionType:
        """Return the function with its code, which may be a change of the answer key's."""
        if not self.change:
            return self.function
        source = _key(self.exercise.module)[1][self.exercise.qualified_name]
        for old, new in self.change.items():
            if (times := source.count(old)) != 1:
                raise CourseError(f"{self.path}: {self.name} changes {old!r}, which the answer key has {times} times.")
            before, after = source.split(old)
            last_line = before.rpartition("\n")[2]
            indentation = last_line[: len(last_line) - len(last_line.lstrip())]
            source = before + new.replace("\n", f"\n{indentation}") + after
        file = f"{self.path}, {self.name}"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        names: dict[str, Any] = {}
        exec(compile(source, file, "exec"), names)
        made: FunctionType = names[self.exercise.name]
        return made


@cache
def _key(module: Module) -> tuple[CodeType, dict[str, str]]:
    """Return the answer key's code, and its functions by name as text, without indentation and comments."""
    texts = {one.qualified_name: find_function(module.key_file, one).code.splitlines() for one in module.exercises}
    plain = {name: [line for line in lines if not line.lstrip().startswith("#")] for name, lines in texts.items()}
    code = compile(module.key_file.read_text(encoding="utf-8"), str(module.key_file), "exec")
    return code, {name: textwrap.dedent("\n".join(lines)) for name, lines in plain.items()}


def mistake(
    name: str,
    *,
    why: str,
    pitfall: str,
    group: str | None = None,
    change: Mapping[str, str] | Sequence[Mapping[str, str]] | None = None,
    has: str = "",
) -> Callable[[FunctionType], list[Entry]]:
    """Make a function a wrong solution of the exercise that its file is named after.

    Args:
        name: what the report calls the mistake.
        why: one or two sentences on why it is one.
        pitfall: the section of the module's page of pitfalls that explains it.
        group: the test group that fails first, if it is not the exercise's first one.
        change: for a function without a body: code that the answer key has once -> what takes its place. Further lines
            of the new code are indented like the line of the old one. A list makes a wrong solution of each change.
        has: conditions for `syntax.has_code` on the code of a student who makes this mistake, "in a loop: return X",
            where results alone tell too little. Otherwise the mistake is not named.
    """

    def entries_of(function: FunctionType) -> list[Entry]:
        path = Path(function.__code__.co_filename)
        exercises = modules()[path.parent.name].exercises
        named = [one for one in exercises if path.stem in (one.name.strip("_"), one.qualified_name)]
        if len(named) != 1:
            known = ", ".join(one.qualified_name for one in exercises)
            raise CourseError(f"{path}: name the file after one exercise. The exercises are: {known}.")
        exercise = named[0]
        found = Mistake(name, why, pitfall, thought=" ".join((function.__doc__ or "").split()))
        caught_by = group or exercise.groups[0]
        numbered = zip(change if isinstance(change, list) else [change], count(1))
        names = {f"{function.__name__}_{number}".removesuffix("_1"): one for one, number in numbered}
        return [Entry(name, found, exercise, caught_by, has, path, function, one) for name, one in names.items()]

    return entries_of


def entry(module_id: str, name: str) -> Entry:
    """Return the wrong solution of this name."""
    return {one.name: one for one in entries(module_id)}[name]


@cache
def entries(module_id: str) -> tuple[Entry, ...]:
    """Return the wrong solutions for a module, file by file; none where there is no bank."""
    files = sorted((BANK / module_id).glob("[!._]*.py"))
    found = [value for file in files for value in runpy.run_path(str(file)).values() if isinstance(value, list)]
    return tuple(one for several in found for one in several)
