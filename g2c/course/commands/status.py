"""`g2c status`: how far each module is, what is on the disk, and the next step. `g2c` alone shows less, and sooner."""

import argparse

from rich.console import Console

from g2c.course.commands.end_screen import print_what_next, what_to_show
from g2c.course.commands.inventory import DAMAGED, MISSING, NOT_OWN, VALID, Item, artifact_items, corpus_items
from g2c.course.commands.terminal import (
    bar,
    current_results,
    is_untouched,
    make_console,
    newly_passing,
    print_answers,
    print_exercises,
    print_key_warning,
    print_marked,
    print_passing,
)
from g2c.course.exercises import modules_with_key
from g2c.course.testing.runs import ModuleResult

MARKS = {VALID: "✓", DAMAGED: "✗", NOT_OWN: "·"}


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    is_brief = arguments.command is None
    results = current_results(stop_early=is_brief)
    (_print_brief if is_brief else _print_everything)(console, results)
    print_what_next(console, results)
    return 0


def _print_brief(console: Console, results: list[ModuleResult]) -> None:
    shown = what_to_show(results)
    console.print(bar(shown))
    print_answers(console, shown.module)
    if others := [result for result in results if result is not shown]:
        console.print(standing(others), style="dim")
    console.print()
    print_key_warning(console)
    print_passing(console, newly_passing(results))


def standing(results: list[ModuleResult]) -> str:
    """How far modules are, in a line: "Done: 04. Not started: 04b, 04c."."""
    states: dict[str, list[str]] = {"Done": [], "Begun": [], "Not started": []}
    for result in results:
        state = "Done" if result.complete else "Not started" if is_untouched(result) else "Begun"
        states[state].append(result.module.id)
    return " ".join(f"{state}: {', '.join(ids)}." for state, ids in states.items() if ids)


def _print_everything(console: Console, results: list[ModuleResult]) -> None:
    console.print("Exercises", style="bold")
    shown = what_to_show(results)
    for result in results:
        console.print(bar(result))
        if result is shown:
            print_exercises(console, result)
            print_answers(console, result.module)
    print_key_warning(console)
    if not modules_with_key():
        console.print("    Your own code was tested, not the answer key.", style="dim")
    here = [item for item in corpus_items() if item.state != MISSING]
    _print_items(console, "Corpora", here, "none fetched yet: ./datasets.sh --list shows what there is")
    _print_items(console, "Artifacts", artifact_items(), "none saved yet")
    console.print()


def _print_items(console: Console, title: str, items: list[Item], none: str) -> None:
    console.print()
    console.print(title, style="bold")
    for item in items:
        remedy = f"  ({item.remedy})" if item.remedy else ""
        print_marked(console, MARKS[item.state], item.name, f"{item.detail}{remedy}")
    if not items:
        console.print(f"    {none}", style="dim")
