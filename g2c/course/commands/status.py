"""`g2c status`: the module in work, the others in a line each, corpora and artifacts, whose code, the next step."""

import argparse

from rich.console import Console

from g2c.course.commands.end_screen import print_what_next, what_to_show
from g2c.course.commands.inventory import DAMAGED, MISSING, NOT_OWN, VALID, Item, artifact_items, corpus_items
from g2c.course.commands.terminal import (
    bar,
    current_results,
    make_console,
    print_answers,
    print_exercises,
    print_key_warning,
    print_marked,
)
from g2c.course.exercises import modules_with_key

MARKS = {VALID: "✓", DAMAGED: "✗", NOT_OWN: "·"}


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    results = current_results()

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
    print_what_next(console, results)
    return 0


def _print_items(console: Console, title: str, items: list[Item], none: str) -> None:
    console.print()
    console.print(title, style="bold")
    for item in items:
        remedy = f"  ({item.remedy})" if item.remedy else ""
        print_marked(console, MARKS[item.state], item.name, f"{item.detail}{remedy}")
    if not items:
        console.print(f"    {none}", style="dim")
