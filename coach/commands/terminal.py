"""Makes the lines that several subcommands show, and prints them in a terminal."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

from rich.console import Console
from rich.text import Text

from coach.common.answer_key import VARIABLE
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.paths import other_clone
from coach.exercises import Module, modules_with_key
from coach.notebooks.answer_list import answers_of, right_answers
from coach.source import find_function
from coach.standing import is_current, passing
from coach.testing.report import Row

VALID, DAMAGED, OPEN = "✓", "✗", "·"
"""The states of an exercise, a notebook, a corpus or an artifact. An artifact is OPEN if it is a milestone that your
own code did not make."""


def item_line(name: str, state: str, detail: str, remedy: str = "") -> Text:
    """Make a line of a list, "    ✓ encode               passes", with a command that is a remedy, if there is one."""
    style = {VALID: "green", DAMAGED: "red"}.get(state, "dim")
    remedy = f"  ({remedy})" if remedy else ""
    return Text.assemble("    ", (state, style), f" {name:<20} ", (f"{detail}{remedy}", style))


def make_console() -> Console:
    """Make a console that prints text unchanged: no guessed colors, no emoji codes, no line breaks in a pipe."""
    return Console(highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def print_lines(console: Console, lines: Iterable[Text]) -> None:
    for line in lines:
        console.print(line, soft_wrap=line.no_wrap)


def in_color(rows: Iterable[Row]) -> Iterator[Text]:
    """Make lines of rows, with the colors in which pytest prints them."""
    for label, text, is_mistake in rows:
        yield Text.assemble((label, "bold"), (text, "red" if is_mistake else ""))


def commands(purposes: dict[str, str]) -> Iterator[Text]:
    """Make lines of commands to type, each after its purpose. A terminal does not wrap them, so they can be copied."""
    width = max(map(len, purposes), default=0)
    for purpose, command in purposes.items():
        yield Text.assemble("  ", (f"{purpose:<{width}}  ", "dim"), (command, "bold"), no_wrap=True)


def exercise_lines(module: Module) -> Iterator[Text]:
    """Say of each exercise of a module whether it passed in the last run, fails, or is not started."""
    for exercise in module.exercises:
        mark, note = (DAMAGED, "fails") if is_current(module) else ("?", "not tested")
        with suppress(CourseError):
            function = find_function(module.exercise_file, exercise)
            if function.first_todo:
                mark, note = OPEN, "its TODO is still there" if function.is_started else "not started"
        if exercise.qualified_name in passing(module):
            mark, note = VALID, "passes"
        yield item_line(exercise.name, mark, note)


def answer_lines(module: Module) -> Iterator[Text]:
    """Say how many answers are right in a module's notebook, if the student has a copy and it has answers."""
    total, right = len(answers_of(module)), len(right_answers(module))
    if module.working_copy.is_file() and total:
        note = f"{right} of {total} answers right"
        yield item_line(module.notebook_file.name, VALID if right == total else OPEN, note)


def key_warning() -> str:
    """Name the modules for which the answer key is in use; "" for none."""
    with_key = sorted(modules_with_key())
    if not with_key:
        return ""
    key = f"The answer key is in use for module {', '.join(with_key)} ({VARIABLE}={os.environ[VARIABLE]})"
    return f"{key}: what you see there is not your own work."


def warnings() -> Iterator[Text]:
    """Warn if results come from the answer key, or from another clone than the one in this folder."""
    if warning := other_clone():
        yield Text(f"{warning} What to do: {PROGRAM} doctor", style="yellow")
    if warning := key_warning():
        yield Text(f"{warning} To test your own code: unset {VARIABLE}", style="yellow")
