"""Which files hold students' code, and where in them an error came from."""

import sys
import traceback
from functools import cache
from types import TracebackType
from typing import NamedTuple

from g2c.common.paths import display_path
from g2c.course.exercises import modules


class Place(NamedTuple):
    """A line inside a function of an exercise file."""

    function: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{display_path(self.file)}, line {self.line}"


def student_files() -> frozenset[str]:
    """The exercise files and those of the answer key, as code objects name them."""
    return _files_of_the_course() | _files_in_use()


@cache
def _files_of_the_course() -> frozenset[str]:
    return frozenset(str(file) for module in modules().values() for file in (module.exercise_file, module.key_file))


def _files_in_use() -> set[str]:
    """Files that define the exercises which the packages have handed out so far; tests may have replaced them."""
    files = set()
    for module in modules().values():
        names_in_use = vars(sys.modules[module.package]) if module.package in sys.modules else {}
        values = [names_in_use[name] for name in module.public_names if name in names_in_use]
        functions = [member for value in values for member in (value, *vars(value).values())]
        files |= {function.__code__.co_filename for function in functions if hasattr(function, "__code__")}
    return files


def place_of(trace: TracebackType | None) -> Place | None:
    """The innermost place in an exercise file that a traceback passes through; None when it passes through none."""
    files = student_files()
    places = [Place(frame.f_code.co_name, frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
    return next((place for place in reversed(places) if place.file in files), None)
