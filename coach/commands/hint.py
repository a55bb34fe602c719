"""`g2c hint`: show the hints for an exercise, one more with each call."""

import argparse
from collections.abc import Iterator
from contextlib import suppress

from rich.text import Text

from coach.commands.terminal import commands, make_console, print_lines
from coach.common.answer_key import NO_ANSWERS
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.paths import display_path
from coach.exercise_file import problem_of
from coach.exercises import Exercise, counted_modules, find_exercise, has_answers
from coach.source import find_function
from coach.standing import module_in_work, module_to_show, next_exercise
from coach.state import next_hint


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("exercise", nargs="?", help="such as train_step; by default the next one that does not pass")


def run(arguments: argparse.Namespace) -> int:
    name = arguments.exercise
    exercise = find_exercise(name, module_to_show) if name else exercise_in_work()
    print_lines(make_console(), hints(exercise))
    return 0


def exercise_in_work() -> Exercise:
    """Return the exercise to work on in the first module that is not complete.

    CourseError: every exercise passes; or the exercise file cannot be used, so no test tells.
    """
    module = module_in_work()
    if module and (problem := problem_of(module)):
        raise problem
    exercise = next_exercise(module) if module else None
    if not exercise:
        last = counted_modules()[0].exercises[-1].short_name
        raise CourseError(f"Every exercise passes. To see the hints of one, name it: {PROGRAM} hint {last}.")
    return exercise


def hints(exercise: Exercise) -> Iterator[Text]:
    """Show the hints that were shown before and one more, which is emphasized, and what comes after it."""
    number, place = next_hint(exercise), display_path(exercise.module.exercise_file)
    with suppress(CourseError):
        place += f", line {find_function(exercise.module.exercise_file, exercise).line}"
    yield Text.assemble((exercise.qualified_name, "bold cyan"), f"  {place}")
    for position, hint in enumerate(exercise.hints[:number], start=1):
        is_new = position == number
        yield Text(f"\nHint {position} of {len(exercise.hints)}", style="bold" if is_new else "dim")
        yield Text(hint, style="" if is_new else "dim")
    yield Text()
    if number < len(exercise.hints):
        yield Text("Ask again for the next hint.", style="dim")
    elif has_answers():
        yield from commands({"the answer": f"{PROGRAM} solution {exercise.short_name}"})
    else:
        yield Text(f"This was the last hint. {NO_ANSWERS}", style="dim")
