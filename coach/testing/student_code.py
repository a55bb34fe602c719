"""Knows which files contain students' code, and finds the places and lines there that an error passed through."""

import linecache
from functools import cache
from types import TracebackType

from coach.common.paths import REPOSITORY, display_path
from coach.exercises import BANK, all_exercises, modules
from coach.source import find_function
from coach.testing.limits import lines_of
from coach.testing.report import Excerpt, Place, cut

LINES_BEFORE = 3


@cache
def is_student_file(file: str) -> bool:
    """Tell whether a file, named as in code objects, is an exercise file or belongs to the answer key or the bank."""
    files = (path for module in modules().values() for path in (module.exercise_file, module.key_file))
    return file in map(str, files) or file.startswith(str(BANK))


def places_of(trace: TracebackType | None) -> list[Place]:
    """Return the places in exercise files that a traceback passes through, the innermost last."""
    return [
        Place(code.co_name, display_path(code.co_filename), line)
        for code, line in lines_of(trace)
        if is_student_file(code.co_filename)
    ]


def place_of(trace: TracebackType | None) -> Place | None:
    """Return the innermost place in an exercise file that a traceback passes through; None if there is none."""
    return next(reversed(places_of(trace)), None)


def needless_call(error: NotImplementedError) -> Place | None:
    """Find the call of the TODO that was reached, if an earlier exercise made it."""
    *callers, called = places_of(error.__traceback__) or [Place("", "", 0)]
    order = [exercise.name for exercise in all_exercises() if exercise.module.exercise_path == called.file]
    above = order[: order.index(called.function)] if called.function in order else []
    return next((place for place in reversed(callers) if place.function in above), None)


def not_written(place: Place) -> str:
    """Say that an exercise is still a TODO."""
    return f"{place.function} is not written yet: {place}"


def first_todo(error: NotImplementedError) -> str:
    """Name the first exercise that is still a TODO in the file whose TODO was reached."""
    reached = place_of(error.__traceback__)
    if reached is None:
        return str(error)
    exercises = [one for one in all_exercises() if one.module.exercise_path == reached.file]
    for exercise in exercises:
        if line := find_function(exercise.module.exercise_file, exercise).first_todo:
            return not_written(Place(exercise.name, reached.file, line))
    return not_written(reached)


def code_at_error(trace: TracebackType | None) -> tuple[Excerpt, ...]:
    """Return the student's code that a traceback passes through: the first call, and lines up to the last."""
    places = places_of(trace)
    first = [code_at(place, 0) for place in places[:1] if place != places[-1]]
    return (*first, *map(code_at, places[-1:]))


def code_at(place: Place, before: int = LINES_BEFORE) -> Excerpt:
    """Return the line of a place, and some lines before it in the same function."""
    numbers = range(max(place.line - before, 1), place.line + 1)
    lines = [cut(linecache.getline(str(REPOSITORY / place.file), number).rstrip(), 1000) for number in numbers]
    first = 0
    for position, text in enumerate(lines[:-1]):
        if text.endswith('"""'):
            first = position + 1
        elif text.lstrip().startswith("def "):
            first = position
    return Excerpt(place, tuple(lines[first:]))
