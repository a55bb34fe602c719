"""`g2c hint`: show a hint for an exercise, and the next one after another try, or with --more.

Answers in notebooks have hints too; for these, each call shows one more.
"""

import argparse
from contextlib import suppress

from rich.console import Console
from rich.text import Text

from g2c.common.answer_key import NO_ANSWERS, has_key
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.commands.state import next_hint
from g2c.course.commands.terminal import current_results, make_console, module_in_work, print_commands
from g2c.course.exercise_file import problem_of
from g2c.course.exercises import Exercise, find_exercise, modules
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
        print_hints(console, answer, number)
        console.print()
        console.print(Text(answer.after_hint(number)), style="dim")
        return 0
    exercise = find_exercise(arguments.exercise, module_in_work) if arguments.exercise else _next_exercise()
    if exercise is None:
        raise CourseError("Every exercise passes. To see the hints of one, name it: g2c hint train_step.")
    number, is_new = next_hint(exercise, more=arguments.more)
    print_hints(console, exercise, number)
    console.print()
    if number == len(exercise.hints):
        if has_key():
            print_commands(console, {"the answer": f"g2c solution {exercise.short_name}"})
        else:
            console.print(f"This was the last hint. {NO_ANSWERS}", style="dim")
    elif is_new:
        console.print("The next hint comes after another try: change your code, save it, and ask again.", style="dim")
    else:
        console.print("Your code has not changed since this hint, so here it is again.", style="dim")
        print_commands(console, {"the next hint at once": f"g2c hint {exercise.short_name} --more"})
    return 0


def _next_exercise() -> Exercise | None:
    """Return the exercise to work on in the first module that is not complete; None if all are.

    CourseError: the exercise file cannot be used, or its suite could not be loaded, so no test tells.
    """
    result = next((result for result in current_results(stop_early=True) if not result.complete), None)
    if result is None:
        return None
    if problem := problem_of(result.module):
        raise problem
    if result.error:
        raise CourseError(f"{result.module.suite} could not be run; `g2c` shows why.")
    return result.next_exercise


def print_hints(console: Console, task: Exercise | Answer, number: int) -> None:
    """Print the first `number` hints of an exercise or of an answer in a notebook, and emphasize the last."""
    if isinstance(task, Answer):
        name, place = task.name, display_path(task.module.working_copy)
    else:
        file = modules()[task.module_id].exercise_file
        name, place = task.qualified_name, display_path(file)
        with suppress(CourseError):
            place += f", line {find_function(file, task).line}"
    console.print(Text.assemble((name, "bold cyan"), f"  {place}"))
    for position, hint in enumerate(task.hints[:number], start=1):
        style = "" if position == number else "dim"
        console.print()
        console.print(Text(f"Hint {position} of {len(task.hints)}", style=style or "bold"))
        console.print(Text(hint, style=style))
