"""Makes the lines that several subcommands show, and prints them in a terminal."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
VALID, DAMAGED, OPEN = "✓", "✗", "·"
"""The states of an item. An artifact is OPEN if it is a valid milestone, but not known to be made with your code."""


class Item(NamedTuple):
    """Describes an exercise, a notebook, a corpus or an artifact. `remedy` is a command; "" if `detail` has it."""

    name: str
    state: str
    detail: str
    remedy: str = ""

    def line(self) -> Text:
        """Make a line of a list: "    ✓ encode               passes"."""
        style = {VALID: "green", DAMAGED: "red"}.get(self.state, "dim")
        remedy = f"  ({self.remedy})" if self.remedy else ""
        return Text.assemble("    ", (self.state, style), f" {self.name:<20} ", (f"{self.detail}{remedy}", style))


def make_console(*, stderr: bool = False) -> Console:
    """Make a console that prints text unchanged: no guessed colors, no emoji codes, no line breaks in a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=not stream.isatty())


def print_lines(console: Console, lines: Iterable[Text]) -> None:
    for line in lines:
        console.print(line, soft_wrap=line.no_wrap)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def commands(purposes: dict[str, str]) -> Iterator[Text]:
    """Make lines of commands to type, each after its purpose. A terminal does not wrap them, so they can be copied."""
    width = max(map(len, purposes), default=0)
    for purpose, command in purposes.items():
        yield Text.assemble("  ", (f"{purpose:<{width}}  ", "dim"), (command, "bold"), no_wrap=True)


def current_results(*, stop_early: bool = False) -> list[ModuleResult]:
    """Return the results of all modules, with a line on stderr while suites run. See `results_of_all_modules`."""
    with make_console(stderr=True).status("") as status:
        return results_of_all_modules(
            stop_early=stop_early, on_run=lambda module: status.update(f"Running {module.suite} …")
        )


def result_in_work() -> ModuleResult | None:
    """Return the result of the first module that is not complete; None if all are."""
    return next((result for result in current_results(stop_early=True) if not result.complete), None)


def module_in_work() -> Module | None:
    result = result_in_work()
    return result.module if result else None


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


def newly_passing(results: list[ModuleResult]) -> list[Exercise]:
    """Return the student's exercises that pass now and did not at the last call."""
    before = set(state.read("passing").get("keys", ()))
    now, failing = {}, set()
    for result in results:
        failed = {test.group for test in result.tests if test.outcome == "failed"}
        for exercise in () if result.module.id in modules_with_key() else result.module.exercises:
            if result.passes(exercise):
                now[exercise.key] = exercise
            elif failed & set(exercise.groups):
                # An exercise after the first failing one may not have been tested; it keeps its earlier state.
                failing.add(exercise.key)
    state.write("passing", keys=sorted(before - failing | set(now)))
    return [exercise for key, exercise in now.items() if key not in before]


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


def exercise_lines(result: ModuleResult) -> Iterator[Text]:
    """Say of each exercise of a module whether it passes, fails, or is not started."""
    for exercise in result.module.exercises:
        if result.passes(exercise):
            item = Item(exercise.name, VALID, "passes")
        elif todo := todo_of(result, exercise):
            item = Item(exercise.name, OPEN, "its TODO is still there" if todo.is_started else "not started")
        elif any(test.group in exercise.groups for test in result.tests):
            item = Item(exercise.name, DAMAGED, "fails")
        else:
            item = Item(exercise.name, "?", "not tested")
        yield item.line()


def answer_lines(module: Module) -> Iterator[Text]:
    """Say how many answers are right in a module's notebook, if the student has a copy and it has answers."""
    required, right = required_answers(module), right_answers(module)
    if module.working_copy.is_file() and required:
        mark, note, remedy = VALID if required <= right else OPEN, "not begun", ""
        if begun := is_begun(module):
            optional = len(right - required)
            note = f"{len(right & required)} of {counted(len(required), 'answer')} right"
            note += f", and {optional} optional" if optional else ""
        elif begun is None:
            mark, note = DAMAGED, "is damaged"
            remedy = f"./noteboosh.sh --fresh {module.id} keeps it, and starts a new one"
        yield Item(module.notebook_file.name, mark, note, remedy).line()


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
        yield Text(f"{warning} What to do: g2c doctor", style="yellow")
    if warning := key_warning():
        yield Text(f"{warning} To test your own code: unset {VARIABLE}", style="yellow")


def passing_lines(exercises: list[Exercise], *, brief: bool = False) -> Iterator[Text]:
    """Say that exercises pass now and, unless `brief`, what each of them teaches."""
    for exercise in exercises:
        yield Text(f"✓ {exercise.qualified_name} now passes.", style="green")
        if not brief:
            yield Text(f"{exercise.lesson}\n")


def next_step(
    console: Console, result: ModuleResult, *, brief: bool = False, with_commands: bool = True
) -> Iterator[Text]:
    """Show the next failing test of a module, its report and, `with_commands`, the commands that help."""
    failure = result.first_failure
    exercise = result.module.exercise_of(failure.group) if failure else None
    if problem := problem_of(result.module):
        yield Text(problem.sentence, style="bold red")
        yield from [Text(problem.code)] if problem.code else []
        return
    if failure is None:
        yield Text(f"{result.module.suite} could not be run:", style="bold red")
        yield Text("\n".join(str(result.error).splitlines()[-12:]).rstrip() + "\n")
        yield from commands({"run it": f"pytest {result.module.suite}", "look for a cause": "g2c doctor"})
        return
    if exercise and (todo := todo_of(result, exercise)):
        place = f"  {display_path(result.module.exercise_file)}, line {todo.first_todo}"
        yield Text.assemble(("Next: write ", "bold"), (exercise.qualified_name, "bold cyan"), place)
        if todo.is_started:
            yield Text("The TODO in that line still ends your code: delete the line when the code is complete.")
        yield Text(f"Its first test: {failure.test}")
    else:
        where = exercise.qualified_name if exercise else failure.group
        yield Text.assemble(("Failing: ", "bold red"), (where, "bold cyan"))
        if not brief:
            yield Text(failure.test)
        if exercise and not brief:
            passed, total = result.passed_of_all(exercise)
            yield Text(f"{passed} of {counted(total, 'test')} of this exercise passed before it.", style="dim")
        yield Text()
        for label, text, is_mistake in failure.rows(width=console.width if console.is_terminal else None, brief=brief):
            yield Text.assemble((label, "bold"), (text, "red" if is_mistake else ""))
    if with_commands:
        yield Text()
        hint = {"a hint": f"g2c hint {exercise.short_name}"} if exercise else {}
        yield from commands({"run it": f"pytest {shlex.quote(failure.test)}", **hint})
