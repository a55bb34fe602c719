"""What a student sees when a module is complete: how it went, a token of the own tokenizer, and what comes next."""

import subprocess
import sys

from rich.console import Console
from rich.text import Text

from g2c.common import paths
from g2c.course.commands.inventory import VALID, artifact_items
from g2c.course.commands.terminal import counted, is_untouched, print_commands, print_next_step
from g2c.course.exercises import Module, modules
from g2c.course.notebooks.answer_list import required_answers, right_answers
from g2c.course.testing.runs import ModuleResult

SAMPLE_SECONDS = 10
"""How long the sample of the student's tokenizer may take."""


def what_to_show(results: list[ModuleResult]) -> ModuleResult:
    """Return the first module that is not complete; or, while it is untouched, the one that was completed before it."""
    unfinished = next((result for result in results if not result.complete), None)
    before = results[: results.index(unfinished)] if unfinished else results
    if unfinished and (unfinished.error or not before or not is_untouched(unfinished)):
        return unfinished
    return before[-1]


def print_what_next(console: Console, results: list[ModuleResult]) -> None:
    """Print the next failing test, or the end screen of the module that has just been completed."""
    if all(result.complete for result in results):
        console.print("Every exercise passes.\n", style="bold green")
    shown = what_to_show(results)
    if shown.complete:
        print_end(console, shown)
    else:
        print_next_step(console, shown)


def print_end(console: Console, result: ModuleResult) -> None:
    module = result.module
    seconds = sum(test.seconds for test in result.tests)
    console.print(Text(f"All tests of module {module.id} pass.", style="bold green"))
    console.print(Text(f"{module.title}: {counted(len(result.tests), 'test')} passed in {seconds:.1f} s."))
    if sample := sample_of(module):
        console.print(Text(f"Your tokenizer: {sample}."))
    console.print(Text("\nNext steps", style="bold"))
    print_commands(console, next_steps(module))


def next_steps(module: Module) -> dict[str, str]:
    """List what to do after a module, in this order: what it is, and the command. What is done is left out."""
    answers = required_answers(module)
    steps = {}
    if not answers or answers - right_answers(module):
        steps["work through the notebook"] = f"./noteboosh.sh {module.id}"
    all_modules = list(modules().values())
    place = all_modules.index(module)
    valid = {item.name for item in artifact_items() if item.state == VALID}
    for earlier in all_modules[: place + 1]:
        if earlier.milestone and earlier.milestone.artifact not in valid:
            steps[earlier.milestone.purpose] = earlier.milestone.command
    for following in all_modules[place + 1 : place + 2]:
        steps[f"go on with module {following.id}, {following.title}"] = "g2c watch"
    return {f"{number}. {purpose}": command for number, (purpose, command) in enumerate(steps.items(), start=1)}


def sample_of(module: Module) -> str:
    """Write a line about a token of the student's own tokenizer; "" where there is none, or the code fails or hangs."""
    if not module.sample:
        return ""
    try:
        done = subprocess.run(
            [sys.executable, "-c", module.sample],
            cwd=paths.REPOSITORY,
            env=paths.environment(),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=SAMPLE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return ""
    lines = done.stdout.splitlines()
    return lines[-1] if lines and done.returncode == 0 else ""
