"""`g2c solution`: the answer key's code for one exercise beside the student's."""

import argparse
import textwrap
from pathlib import Path

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from g2c.common.answer_key import NO_ANSWERS, has_key
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.commands.hint import exercise_called, hints_shown
from g2c.course.exercises import HINTS, Exercise, modules
from g2c.course.source import find_function
from g2c.course.terminal import make_console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("exercise", help="such as train_step")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask for confirmation")


def run(arguments: argparse.Namespace) -> int:
    exercise = exercise_called(arguments.exercise)
    if not has_key():
        raise CourseError(f"{NO_ANSWERS} For hints: g2c hint {exercise.short_name}")
    console = make_console()
    if not arguments.yes and not _agreed(exercise):
        console.print("Nothing shown.")
        return 0
    module = modules()[exercise.module_id]
    sides = [
        (f"Yours: {display_path(module.exercise_file)}", _students_code(module.exercise_file, exercise)),
        (f"Answer key: {display_path(module.key_file)}", _code(module.key_file, exercise)),
    ]
    widths = [max(map(len, [title, *code.splitlines()])) for title, code in sides]
    if console.is_terminal and sum(widths) + 3 <= console.width:
        table = Table(*(title for title, _ in sides), box=None, padding=(0, 3, 0, 0))
        table.add_row(*(_colored(code) for _, code in sides))
        console.print(table)
    else:
        for title, code in sides:
            console.print(Text(title, style="bold"))
            console.print(_colored(code) if console.is_terminal else Text(code))
            console.print()
    return 0


def warning(exercise: Exercise) -> str:
    """What to consider before the answer is shown."""
    seen = hints_shown(exercise)
    return f"This shows the whole answer for {exercise.qualified_name}. You have seen {seen} of its {HINTS} hints."


def print_answer(console: Console, exercise: Exercise) -> None:
    """The answer key's code for an exercise."""
    file = modules()[exercise.module_id].key_file
    console.print(Text(f"Answer key: {display_path(file)}", style="bold"))
    console.print(_colored(_code(file, exercise)))


def _agreed(exercise: Exercise) -> bool:
    print(warning(exercise))
    try:
        return input("Show it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _students_code(path: Path, exercise: Exercise) -> str:
    """The student's code, or a comment that says why it cannot be shown."""
    try:
        return _code(path, exercise)
    except CourseError as error:
        return f"# {error}"


def _code(path: Path, exercise: Exercise) -> str:
    return textwrap.dedent(find_function(path, exercise).code)


def _colored(code: str) -> Syntax:
    return Syntax(code, "python", theme="ansi_dark", background_color="default", word_wrap=True)
