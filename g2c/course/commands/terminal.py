"""How the `g2c` command writes: one console, and the parts that several subcommands show."""

import os
import shlex
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from g2c.common.answer_key import VARIABLE
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.exercises import Exercise, Module, modules, modules_with_key
from g2c.course.notebooks.answer_list import answers_of, right_answers
from g2c.course.source import Function, find_function, parsed
from g2c.course.testing.report_text import report_rows
from g2c.course.testing.runs import ModuleResult, results_of_all_modules

BAR = 20


def make_console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is: no guessed colors, no emoji codes, no line breaks added in a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=not stream.isatty())


def current_results(*, stop_early: bool = False) -> list[ModuleResult]:
    """The results of all modules, with a line on stderr while suites run. See `results_of_all_modules`."""
    with make_console(stderr=True).status("") as status:
        return results_of_all_modules(
            stop_early=stop_early, on_run=lambda module: status.update(f"Running {module.suite} …")
        )


def bar(result: ModuleResult) -> Text:
    """A line for a module: its ID, its title, and how many of its exercises pass."""
    done, total = result.passing_exercises, len(result.module.exercises)
    filled = BAR * done // total
    width = max(len(module.title) for module in modules().values())
    return Text.assemble(
        (f"{result.module.id:<4}{result.module.title:<{width}} ", "bold"),
        ("█" * filled, "green"),
        ("░" * (BAR - filled), "dim"),
        f" {done} of {counted(total, 'exercise')}",
    )


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "test"), counted(1200, "test")
    ('1 test', '1,200 tests')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def print_marked(console: Console, mark: str, name: str, note: str) -> None:
    """Print a line of a list: "    ✓ encode               passes"."""
    style = {"✓": "green", "✗": "red"}.get(mark, "dim")
    console.print(Text.assemble("    ", (mark, style), f" {name:<20} ", (note, style)))


def print_exercises(console: Console, result: ModuleResult) -> None:
    """A line for each exercise of a module: whether it passes, fails, or is not started."""
    for exercise in result.module.exercises:
        if result.passes(exercise):
            mark, note = "✓", "passes"
        elif todo := todo_of(result, exercise):
            mark, note = "·", "its TODO is still there" if todo.is_started else "not started"
        elif any(test.group in exercise.groups for test in result.tests):
            mark, note = "✗", "fails"
        else:
            mark, note = "?", "not tested"
        print_marked(console, mark, exercise.name, note)


def print_answers(console: Console, module: Module) -> None:
    """A line with the number of right answers in a notebook that the student works in, if it has any to check."""
    if not module.working_copy.is_file():
        return
    total, right = len(answers_of(module)), len(right_answers(module))
    if total:
        mark = "✓" if right == total else "·"
        print_marked(console, mark, module.notebook_file.name, f"{right} of {total} answers are right")


def todo_of(result: ModuleResult, exercise: Exercise) -> Function | None:
    """The code of an exercise whose TODO is still there, else None."""
    try:
        function = find_function(result.module.exercise_file, exercise)
    except CourseError:
        return None
    return function if function.first_todo else None


def is_untouched(result: ModuleResult) -> bool:
    """Whether none of a module's exercises has been written."""
    return all(todo_of(result, exercise) for exercise in result.module.exercises)


def problem_of_file(path: Path) -> str | None:
    """A sentence that says in which line a file is not valid Python, or None."""
    try:
        parsed(path)
    except CourseError as error:
        return str(error)
    return None


def key_warning() -> str:
    """A sentence that says for which modules the answer key is in use; "" for none."""
    with_key = sorted(modules_with_key())
    if not with_key:
        return ""
    key = f"The answer key is in use for module {', '.join(with_key)} ({VARIABLE}={os.environ[VARIABLE]})"
    return f"{key}: what you see there is not your own work."


def print_key_warning(console: Console) -> None:
    """Print a warning when results come from the answer key."""
    if warning := key_warning():
        console.print(Text(f"{warning} To test your own code: unset {VARIABLE}", style="yellow"))


def print_next_step(console: Console, result: ModuleResult, *, brief: bool = False, commands: bool = True) -> None:
    """The next failing test of a module, its report, and the commands that help.

    Args:
        console: where to print.
        result: a module that is not complete.
        brief: leave out which test fails and how many passed before it; and see `report_rows`.
        commands: print the commands.
    """
    failure = result.first_failure
    exercise = result.module.exercise_of(failure.group) if failure else None
    problem = None if result.with_key else problem_of_file(result.module.exercise_file)
    if problem:
        console.print(Text(problem, style="bold red"))
        return
    if failure is None:
        console.print(Text(f"{result.module.suite} could not be run:", style="bold red"))
        console.print(Text(result.error.rstrip() + "\n"))
        print_commands(console, {"run it": f"pytest {result.module.suite}", "look for a cause": "g2c doctor"})
        return
    if exercise and (todo := todo_of(result, exercise)):
        place = f"  {display_path(result.module.exercise_file)}, line {todo.first_todo}"
        console.print(Text.assemble(("Next: write ", "bold"), (exercise.qualified_name, "bold cyan"), place))
        if todo.is_started:
            console.print("The TODO in that line still ends your code: delete the line when the code is complete.")
        console.print(Text(f"Its first test: {failure.test}"))
    else:
        where = exercise.qualified_name if exercise else failure.group
        console.print(Text.assemble(("Failing: ", "bold red"), (where, "bold cyan")))
        if not brief:
            console.print(Text(failure.test))
        if exercise and not brief:
            passed, total = result.passed_of_all(exercise)
            console.print(f"{passed} of {counted(total, 'test')} of this exercise passed before it.", style="dim")
        console.print()
        width = console.width if console.is_terminal else None
        for label, text, is_mistake in report_rows(
            failure.message, failure.code, failure.printed, width=width, brief=brief
        ):
            console.print(Text.assemble((label, "bold"), (text, "red" if is_mistake else "")))
    if commands:
        console.print()
        help_with = {"run it": f"pytest {shlex.quote(failure.test)}"}
        if exercise:
            help_with["a hint"] = f"g2c hint {exercise.short_name}"
        print_commands(console, help_with)


def print_commands(console: Console, commands: dict[str, str]) -> None:
    """Print commands to type, each on a line of its own after what it does."""
    width = max(map(len, commands), default=0)
    for purpose, command in commands.items():
        line = Text.assemble("  ", (f"{purpose:<{width}}  ", "dim"), (command, "bold"))
        console.print(line, soft_wrap=True)
