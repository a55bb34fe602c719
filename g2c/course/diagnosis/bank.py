"""Reads the mistake bank: wrong solutions as students write them, in mistakes/MODULE/EXERCISE.py.

Each is a function under the decorator `mistake`, which takes the place of the exercise's function, or a `change` of the
answer key's; docs/instructors.md has the form. mistakes/04/merge.py is for `BPETokenizer._merge`. A file whose name
begins with an underscore holds no wrong solutions.
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
from typing import Any, NamedTuple

from g2c.course.exercises import BANK, Exercise, Module, modules
from g2c.course.source import find_function
from g2c.course.testing.report import Mistake


class Known(NamedTuple):
    """Says what a report needs to know of a wrong solution. A release without answers has this in place of its code."""

    name: str
    mistake: Mistake
    exercise: str
    caught_by: str
    """The test group that fails first."""


@dataclass(frozen=True, eq=False)
class Entry:
    function: FunctionType
    mistake: str
    why: str
    pitfall: str
    group: str | None = None
    change: Mapping[str, str] | None = None
    """Code of the answer key -> what takes its place, for a function without a body."""
    number: int = 1
    """Its place among the entries made of the same function, each with another change."""

    @property
    def name(self) -> str:
        return self.function.__name__ + (f"_{self.number}" if self.number > 1 else "")

    @property
    def path(self) -> Path:
        return Path(self.function.__code__.co_filename)

    @property
    def thought(self) -> str:
        """Says what the student was thinking, in the first person."""
        return " ".join((self.function.__doc__ or "").split())

    @cached_property
    def module(self) -> Module:
        return modules()[self.path.parent.name]

    @cached_property
    def exercise(self) -> Exercise:
        return {one.name.lstrip("_"): one for one in self.module.exercises}[self.path.stem]

    @property
    def caught_by(self) -> str:
        return self.group or self.exercise.groups[0]

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the test groups in which it can fail: those of its exercise and all after them."""
        return self.module.groups[self.module.groups.index(self.exercise.groups[0]) :]

    @cached_property
    def known(self) -> Known:
        mistake = Mistake(self.mistake, self.why, self.pitfall, self.thought)
        return Known(self.name, mistake, self.exercise.qualified_name, self.caught_by)

    def solution(self) -> dict[str, Any]:
        """Return the names of the answer key's file with the wrong function in its place. The file runs again each
        time, so that nothing lasts between calls, and the other functions use the wrong one."""
        names: dict[str, Any] = {"__name__": self.module.key_import_name}
        exec(_key_code(self.module), names)
        name, qualified_name = self.exercise.name, self.exercise.qualified_name
        # What is changed in the answer key finds the names of the key and of the bank's file.
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
        source = key_source(self.exercise)
        for old, new in self.change.items():
            if (times := source.count(old)) != 1:
                raise ValueError(f"{self.path}: {self.name} changes {old!r}, which the answer key has {times} times.")
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
def _key_code(module: Module) -> CodeType:
    return compile(module.key_file.read_text(encoding="utf-8"), str(module.key_file), "exec")


@cache
def key_source(exercise: Exercise) -> str:
    """Return the answer key's function as text, without indentation and comments."""
    code = find_function(modules()[exercise.module_id].key_file, exercise).code
    return textwrap.dedent("\n".join(line for line in code.splitlines() if not line.lstrip().startswith("#")))


def mistake(
    name: str,
    *,
    why: str,
    pitfall: str,
    group: str | None = None,
    change: Mapping[str, str] | Sequence[Mapping[str, str]] | None = None,
) -> Callable[[FunctionType], list[Entry]]:
    """Make a function a wrong solution of the exercise that its file is named after.

    Args:
        name: what the report calls the mistake.
        why: one or two sentences on why it is one.
        pitfall: the section of the module's page of pitfalls that explains it.
        group: the test group that fails first, if it is not the exercise's first one.
        change: for a function without a body: code that the answer key has once -> what takes its place. Further lines
            of the new code are indented like the line of the old one. A list has several wrong solutions, one a change.
    """
    changes = change if isinstance(change, list) else [change]
    return lambda function: [Entry(function, name, why, pitfall, group, *one) for one in zip(changes, count(1))]


def entry(module_id: str, name: str) -> Entry:
    """Return the wrong solution of this name."""
    return {one.name: one for one in entries(module_id)}[name]


@cache
def entries(module_id: str) -> tuple[Entry, ...]:
    """Return the wrong solutions for a module, file by file; none where there is no bank."""
    files = sorted((BANK / module_id).glob("[!_]*.py"))
    lists = [value for file in files for value in runpy.run_path(str(file)).values() if isinstance(value, list)]
    return tuple(entry for each in lists for entry in each)
