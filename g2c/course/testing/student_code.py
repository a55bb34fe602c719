"""Which files hold students' code, where in them an error came from, and the code there."""

import linecache
from functools import cache
from types import TracebackType
from typing import NamedTuple

from g2c.common.paths import display_path
from g2c.course.exercises import BANK, modules
from g2c.course.source import find_function
from g2c.course.testing.limits import lines_of
from g2c.course.testing.report_text import ERROR_MARK

LINES_BEFORE = 3
"""Lines of code shown before the one that raised an error."""


class Place(NamedTuple):
    """A line inside a function of an exercise file."""

    function: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{display_path(self.file)}, line {self.line}"


def is_student_file(file: str) -> bool:
    """Whether code objects name an exercise file so, one of the answer key, or a wrong solution of the bank."""
    return file in _files_of_the_course() or file.startswith(str(BANK))


@cache
def _files_of_the_course() -> frozenset[str]:
    return frozenset(str(file) for module in modules().values() for file in (module.exercise_file, module.key_file))


def places_of(trace: TracebackType | None) -> list[Place]:
    """The places in exercise files that a traceback passes through, the innermost last."""
    places = [Place(code.co_name, code.co_filename, line) for code, line in lines_of(trace)]
    return [place for place in places if is_student_file(place.file)]


def place_of(trace: TracebackType | None) -> Place | None:
    """The innermost place in an exercise file that a traceback passes through; None when it passes through none."""
    return next(reversed(places_of(trace)), None)


class NeedlessCall(Exception):
    """An exercise calls a later one, which is not written yet. No exercise needs a later one."""

    def __init__(self, caller: Place, called: Place) -> None:
        super().__init__(f"{caller.function} calls {called.function}, which it does not need: {caller}")
        self.caller = caller


def needless_call(error: NotImplementedError) -> NeedlessCall | None:
    """The call that reached a TODO, where it is the call of an exercise above it in the order of work."""
    *callers, called = places_of(error.__traceback__) or [Place("", "", 0)]
    for module in modules().values():
        order = [exercise.name for exercise in module.exercises]
        if str(module.exercise_file) == called.file and called.function in order:
            above = order[: order.index(called.function)]
            return next((NeedlessCall(place, called) for place in reversed(callers) if place.function in above), None)
    return None


def first_todo(error: NotImplementedError) -> str:
    """The first exercise that is still a TODO in the file whose TODO was reached."""
    reached = place_of(error.__traceback__)
    if reached is None:
        return str(error)
    for module in modules().values():
        if str(module.exercise_file) == reached.file:
            for exercise in module.exercises:
                line = find_function(module.exercise_file, exercise).first_todo
                if line is not None:
                    return f"{exercise.name} is not written yet: {module.exercise_path}, line {line}"
    return f"{reached.function} is not written yet: {reached}"


def code_at_error(trace: TracebackType | None) -> str:
    """The student's own code that a traceback passes through, without docstrings; "" when it passes through none.

    Of several calls within each other, the first and the last are shown: the line of the first, and the lines before
    the error in the last.
    """
    places = places_of(trace)
    if not places:
        return ""
    inner = f"{places[-1]}, in {places[-1].function}:\n{code_at(places[-1])}"
    if places[0] == places[-1]:
        return inner
    return f"{places[0]}, in {places[0].function}:\n{code_at(places[0], 0)}\n{inner}"


def code_at(place: Place, before: int = LINES_BEFORE) -> str:
    """The line of a place, marked, and some lines of the same function before it, each with its number."""
    numbers = range(max(place.line - before, 1), place.line + 1)
    rows = [(number, linecache.getline(place.file, number).rstrip()) for number in numbers]
    first = 0
    for position, (_, text) in enumerate(rows[:-1]):
        if text.endswith('"""'):
            first = position + 1
        elif text.lstrip().startswith("def "):
            first = position
    shown = [f"{ERROR_MARK if number == place.line else ' '} {number:>4}  {text}" for number, text in rows[first:]]
    return "\n".join(shown)
