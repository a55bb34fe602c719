"""`g2c solution`: show the answer key's code for one exercise, after asking."""

import argparse
import textwrap
from collections.abc import Iterator

from rich.syntax import Syntax
from rich.text import Text

from coach.commands.terminal import make_console, print_lines
from coach.common.answer_key import NO_ANSWERS
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.paths import display_path
from coach.exercises import Exercise, find_exercise, has_answers
from coach.source import find_function
from coach.standing import module_to_show
from coach.state import hints_shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("exercise", help="such as train_step")


def run(arguments: argparse.Namespace) -> int:
    exercise = find_exercise(arguments.exercise, module_to_show)
    if not has_answers():
        raise CourseError(f"{NO_ANSWERS} For hints: {PROGRAM} hint {exercise.short_name}")
    print(warning(exercise))
    try:
        agreed = input("Show it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        agreed = False
    print_lines(make_console(), answer(exercise) if agreed else [Text("Nothing shown.")])
    return 0


def warning(exercise: Exercise) -> str:
    """Say what the answer gives away, and how many hints are left."""
    seen, total = hints_shown(exercise), len(exercise.hints)
    return f"This shows the whole answer for {exercise.qualified_name}. You have seen {seen} of its {total} hints."


def answer(exercise: Exercise) -> Iterator[Text]:
    file = exercise.module.key_file
    yield Text(f"Answer key: {display_path(file)}", style="bold")
    code = textwrap.dedent(find_function(file, exercise).code)
    colored = Syntax("", "python", theme="ansi_dark", background_color="default").highlight(code)
    colored.rstrip()
    yield colored
