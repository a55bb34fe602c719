"""`g2c hint`: show a hint for an exercise, and the next one after another try, or with --more.

Answers in notebooks have hints too; for these, each call shows one more.
"""

import argparse
from collections.abc import Iterator
from contextlib import suppress

from rich.text import Text

from g2c.common.answer_key import NO_ANSWERS, has_key
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.commands.state import next_hint
from g2c.course.commands.terminal import commands, make_console, module_in_work, print_lines, result_in_work
from g2c.course.exercise_file import problem_of
from g2c.course.exercises import Exercise, find_exercise
from g2c.course.notebooks.answer_list import Answer, find_answer
from g2c.course.source import find_function


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "exercise",
        nargs="?",
        help="such as train_step, or an answer of a notebook; by default the next one that does not pass",
    )
    parser.add_argument("--more", action="store_true", help="the next hint at once, without another try")


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    if arguments.exercise and (answer := find_answer(arguments.exercise)):
        number, _ = next_hint(answer, more=True)
        print_lines(console, [*hints(answer, number), Text(f"\n{answer.after_hint(number)}", style="dim")])
        return 0
    exercise = find_exercise(arguments.exercise, module_in_work) if arguments.exercise else _next_exercise()
    number, is_new = next_hint(exercise, more=arguments.more)
    lines = [*hints(exercise, number), Text()]
    if number == len(exercise.hints) and has_key():
        lines += commands({"the answer": f"g2c solution {exercise.short_name}"})
    elif number == len(exercise.hints):
        lines.append(Text(f"This was the last hint. {NO_ANSWERS}", style="dim"))
    elif is_new:
        note = "The next hint comes after another try: change your code, save it, and ask again."
        lines.append(Text(note, style="dim"))
    else:
        lines.append(Text("Your code has not changed since this hint, so here it is again.", style="dim"))
        lines += commands({"the next hint at once": f"g2c hint {exercise.short_name} --more"})
    print_lines(console, lines)
    return 0


def _next_exercise() -> Exercise:
    """Return the exercise to work on in the first module that is not complete.

    CourseError: every exercise passes; or the exercise file cannot be used, or its suite could not be loaded, so no
    test tells.
    """
    result = result_in_work()
    if result and (problem := problem_of(result.module)):
        raise problem
    if result and result.error:
        raise CourseError(f"{result.module.suite} could not be run; `g2c` shows why.")
    if not result or not result.next_exercise:
        raise CourseError("Every exercise passes. To see the hints of one, name it: g2c hint train_step.")
    return result.next_exercise


def hints(task: Exercise | Answer, number: int) -> Iterator[Text]:
    """Show the first `number` hints of an exercise or of an answer in a notebook, and emphasize the last."""
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
