"""Which files hold students' code, where in them an error came from, and the code there."""

import linecache
from functools import cache
from types import TracebackType

from g2c.common.paths import display_path
from g2c.course.exercises import BANK, modules
from g2c.course.source import find_function
from g2c.course.testing.limits import lines_of
from g2c.course.testing.report import Excerpt, Place, cut

LINES_BEFORE = 3


def is_student_file(file: str) -> bool:
    """Tell whether a file, as code objects name it, is an exercise file, one of the answer key, or of the bank."""
    return file in _files_of_the_course() or file.startswith(str(BANK))


@cache
def _files_of_the_course() -> frozenset[str]:
    return frozenset(str(file) for module in modules().values() for file in (module.exercise_file, module.key_file))


def places_of(trace: TracebackType | None) -> list[Place]:
    """Return the places in exercise files that a traceback passes through, the innermost last."""
    return [
        Place(code.co_name, display_path(code.co_filename), line)
        for code, line in lines_of(trace)
        if is_student_file(code.co_filename)
    ]


def place_of(trace: TracebackType | None) -> Place | None:
    """Return the innermost place in an exercise file that a traceback passes through; None when there is none."""
    return next(reversed(places_of(trace)), None)


class NeedlessCall(Exception):
    """An exercise calls a later one, which is not written yet. No exercise needs a later one."""

    def __init__(self, caller: Place, called: Place) -> None:
        super().__init__(f"{caller.function} calls {called.function}, which it does not need: {caller}")
        self.caller = caller


def needless_call(error: NotImplementedError) -> NeedlessCall | None:
    """Find the call that reached a TODO, where it is in an exercise above it in the order of work."""
    *callers, called = places_of(error.__traceback__) or [Place("", "", 0)]
    for module in modules().values():
        order = [exercise.name for exercise in module.exercises]
        if module.exercise_path == called.file and called.function in order:
            above = order[: order.index(called.function)]
            return next((NeedlessCall(place, called) for place in reversed(callers) if place.function in above), None)
    return None


def first_todo(error: NotImplementedError) -> str:
    """Say which exercise is the first that is still a TODO in the file whose TODO was reached."""
    reached = place_of(error.__traceback__)
    if reached is None:
        return str(error)
    for module in modules().values():
        if module.exercise_path == reached.file:
            for exercise in module.exercises:
                line = find_function(module.exercise_file, exercise).first_todo
                if line is not None:
                    return f"{exercise.name} is not written yet: {module.exercise_path}, line {line}"
    return f"{reached.function} is not written yet: {reached}"


def code_at_error(trace: TracebackType | None) -> tuple[Excerpt, ...]:
    """Return the student's code that a traceback passes through: the line of the first call, and the last call."""
    places = places_of(trace)
    first = [code_at(place, 0) for place in places[:1] if place != places[-1]]
    return (*first, *map(code_at, places[-1:]))


def code_at(place: Place, before: int = LINES_BEFORE) -> Excerpt:
    """Return the line of a place and some lines of the same function before it."""
    numbers = range(max(place.line - before, 1), place.line + 1)
    lines = [cut(linecache.getline(place.path, number).rstrip(), 1000) for number in numbers]
    first = 0
    for position, text in enumerate(lines[:-1]):
        if text.endswith('"""'):
            first = position + 1
        elif text.lstrip().startswith("def "):
            first = position
    return Excerpt(place, tuple(lines[first:]))
