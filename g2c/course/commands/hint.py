"""`g2c hint`: show the hints for an exercise, or for an answer in a notebook, one more with each call."""

import argparse
from collections.abc import Iterator
from contextlib import suppress

from rich.text import Text

from g2c.common.answer_key import NO_ANSWERS, has_key
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.commands.terminal import commands, make_console, print_lines
from g2c.course.exercise_file import problem_of
from g2c.course.exercises import Exercise, find_exercise
from g2c.course.notebooks.answer_list import Answer, find_answer
from g2c.course.source import find_function
from g2c.course.standing import module_in_work, next_exercise
from g2c.course.state import next_hint


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "exercise",
        nargs="?",
        help="such as train_step, or an answer of a notebook; by default the next one that does not pass",
    )


def run(arguments: argparse.Namespace) -> int:
    name = arguments.exercise
    task = (find_answer(name) or find_exercise(name, module_in_work)) if name else exercise_in_work()
    print_lines(make_console(), hints(task))
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
        raise CourseError("Every exercise passes. To see the hints of one, name it: g2c hint train_step.")
    return exercise


def hints(task: Exercise | Answer) -> Iterator[Text]:
    """Show the hints for a task that were shown before and one more, which is emphasized, and what comes after it."""
    number = next_hint(task)
    if isinstance(task, Answer):
        name, place = task.name, display_path(task.module.working_copy)
    else:
        name, place = task.qualified_name, display_path(task.module.exercise_file)
        with suppress(CourseError):
            place += f", line {find_function(task.module.exercise_file, task).line}"
    yield Text.assemble((name, "bold cyan"), f"  {place}")
    for position, hint in enumerate(task.hints[:number], start=1):
        style = "" if position == number else "dim"
        yield Text(f"\nHint {position} of {len(task.hints)}", style=style or "bold")
        yield Text(hint, style=style)
    yield Text()
    if isinstance(task, Answer):
        yield Text(task.after_hint(number), style="dim")
    elif number < len(task.hints):
        yield Text("Ask again for the next hint.", style="dim")
    elif has_key():
        yield from commands({"the answer": f"g2c solution {task.short_name}"})
    else:
        yield Text(f"This was the last hint. {NO_ANSWERS}", style="dim")
