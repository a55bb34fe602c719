"""Prints in a terminal what several subcommands show."""

import os
import shlex
import sys

from rich.console import Console
from rich.text import Text

from g2c.common.answer_key import VARIABLE
from g2c.common.errors import CourseError
from g2c.common.paths import display_path, other_clone
from g2c.course.commands import state
from g2c.course.exercise_file import problem_of
from g2c.course.exercises import Exercise, Module, modules, modules_with_key
from g2c.course.notebooks.answer_list import is_begun, required_answers, right_answers
from g2c.course.source import Function, find_function
from g2c.course.testing.runs import ModuleResult, results_of_all_modules

BAR = 20


def make_console(*, stderr: bool = False) -> Console:
    """Make a console that prints text unchanged: no guessed colors, no emoji codes, no line breaks in a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=not stream.isatty())


def current_results(*, stop_early: bool = False) -> list[ModuleResult]:
    """Return the results of all modules, with a line on stderr while suites run. See `results_of_all_modules`."""
    with make_console(stderr=True).status("") as status:
        return results_of_all_modules(
            stop_early=stop_early, on_run=lambda module: status.update(f"Running {module.suite} …")
        )


def module_in_work() -> Module | None:
    """Return the first module that is not complete; None if all are."""
    return next((result.module for result in current_results(stop_early=True) if not result.complete), None)


def bar(result: ModuleResult) -> Text:
    """Make a line for a module: its ID, its title, and how many of its exercises pass."""
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
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def print_marked(console: Console, mark: str, name: str, note: str) -> None:
    """Print a line of a list: "    ✓ encode               passes"."""
    style = {"✓": "green", "✗": "red"}.get(mark, "dim")
    console.print(Text.assemble("    ", (mark, style), f" {name:<20} ", (note, style)))


def print_exercises(console: Console, result: ModuleResult) -> None:
    """Print a line for each exercise of a module: whether it passes, fails, or is not started."""
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


def newly_passing(results: list[ModuleResult]) -> list[Exercise]:
    """Return the student's exercises that pass now and did not at the last call."""
    before = set(state.read("passing").get("keys", ()))
    own = [
        (result, one)
        for result in results
        if result.module.id not in modules_with_key()
        for one in result.module.exercises
    ]
    now = {exercise.key: exercise for result, exercise in own if result.passes(exercise)}
    # An exercise after the first failing one may not have been tested; it keeps its earlier state.
    failed = {(result.module.id, test.group) for result, _ in own for test in result.tests if test.outcome == "failed"}
    failing = {one.key for result, one in own if any((result.module.id, group) in failed for group in one.groups)}
    state.write("passing", {"keys": sorted(before - failing | set(now))})
    return [exercise for key, exercise in now.items() if key not in before]


def print_passing(console: Console, exercises: list[Exercise], *, brief: bool = False) -> None:
    """Print that exercises pass now and, unless `brief`, what each of them teaches."""
    for exercise in exercises:
        console.print(Text(f"✓ {exercise.qualified_name} now passes.", style="green"))
        if not brief:
            console.print(Text(f"{exercise.lesson}\n"))


def print_answers(console: Console, module: Module) -> None:
    """Print how many answers are right in a module's notebook, if the student has a copy and it has answers."""
    required = required_answers(module)
    if not (module.working_copy.is_file() and required):
        return
    right = right_answers(module)
    note = f"{len(right & required)} of {counted(len(required), 'answer')} right"
    if further := len(right - required):
        note += f", and {further} optional"
    mark = "✓" if required <= right else "·"
    if not (begun := is_begun(module)):
        note = "not begun"
        if begun is None:
            mark, note = "✗", f"is damaged  (./noteboosh.sh --fresh {module.id} keeps it, and starts a new one)"
    print_marked(console, mark, module.notebook_file.name, note)


def todo_of(result: ModuleResult, exercise: Exercise) -> Function | None:
    """Return the code of an exercise if its TODO is still there, else None."""
    try:
        function = find_function(result.module.exercise_file, exercise)
    except CourseError:
        return None
    return function if function.first_todo else None


def is_untouched(result: ModuleResult) -> bool:
    """Tell whether none of a module's exercises has been written."""
    return all(todo_of(result, exercise) for exercise in result.module.exercises)


def key_warning() -> str:
    """Name the modules for which the answer key is in use; "" for none."""
    with_key = sorted(modules_with_key())
    if not with_key:
        return ""
    key = f"The answer key is in use for module {', '.join(with_key)} ({VARIABLE}={os.environ[VARIABLE]})"
    return f"{key}: what you see there is not your own work."


def print_key_warning(console: Console) -> None:
    """Print a warning if results come from the answer key, or from another clone than the one in this folder."""
    if warning := other_clone():
        console.print(Text(f"{warning} What to do: g2c doctor", style="yellow"))
    if warning := key_warning():
        console.print(Text(f"{warning} To test your own code: unset {VARIABLE}", style="yellow"))


def print_next_step(console: Console, result: ModuleResult, *, brief: bool = False, commands: bool = True) -> None:
    """Print the next failing test of a module, its report and, with `commands`, the commands that help."""
    failure = result.first_failure
    exercise = result.module.exercise_of(failure.group) if failure else None
    if problem := problem_of(result.module):
        console.print(Text(problem.sentence, style="bold red"))
        console.print(Text(problem.code), end="\n" if problem.code else "")
        return
    if failure is None:
        console.print(Text(f"{result.module.suite} could not be run:", style="bold red"))
        console.print(Text("\n".join(str(result.error).splitlines()[-12:]).rstrip() + "\n"))
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
        for label, text, is_mistake in failure.rows(width=width, brief=brief):
            console.print(Text.assemble((label, "bold"), (text, "red" if is_mistake else "")))
    if commands:
        console.print()
        help_with = {"run it": f"pytest {shlex.quote(failure.test)}"}
        if exercise:
            help_with["a hint"] = f"g2c hint {exercise.short_name}"
        print_commands(console, help_with)


def print_commands(console: Console, commands: dict[str, str]) -> None:
    """Print commands to type, each on a line after its purpose."""
    width = max(map(len, commands), default=0)
    for purpose, command in commands.items():
        line = Text.assemble("  ", (f"{purpose:<{width}}  ", "dim"), (command, "bold"))
        console.print(line, soft_wrap=True)
