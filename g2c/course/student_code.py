"""Which files students write, and where in them something happened."""

import traceback
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import g2c.solutions
import g2c.tokenizer
from g2c.course.exercises import modules
from g2c.paths import shown


class Place(NamedTuple):
    """A line inside a function of an exercise file."""

    function: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{shown(self.file)}, line {self.line}"


def student_files() -> frozenset[str]:
    """The exercise files and the answer key's, as their code objects name them."""
    return _files_of_the_course() | _files_in_use()


@cache
def _files_of_the_course() -> frozenset[str]:
    folders = [Path(package.__path__[0]) for package in (g2c.tokenizer, g2c.solutions)]
    return frozenset(str(folder / f"{module.file}.py") for module in modules().values() for folder in folders)


def _files_in_use() -> set[str]:
    """Files of the exercises that `g2c.tokenizer` has handed out so far, wherever they came from."""
    in_use = vars(g2c.tokenizer)
    names = [name for module in modules().values() for name in module.public_names if name in in_use]
    functions = [value for name in names for value in (in_use[name], *vars(in_use[name]).values())]
    return {function.__code__.co_filename for function in functions if hasattr(function, "__code__")}


def place_of(trace: TracebackType | None) -> Place | None:
    """The innermost place in an exercise file that an exception came through; None when it came through none."""
    files = student_files()
    places = [Place(frame.f_code.co_name, frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
    return next((place for place in reversed(places) if place.file in files), None)
