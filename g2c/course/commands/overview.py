"""`g2c` without a command: the module in work, the others in a line, the next failing test, and what to do about it."""

import argparse

from g2c.course.commands.end_screen import print_what_next, what_to_show
from g2c.course.commands.terminal import (
    bar,
    current_results,
    is_untouched,
    make_console,
    newly_passing,
    print_answers,
    print_key_warning,
    print_passing,
)
from g2c.course.testing.runs import ModuleResult


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    results = current_results(stop_early=True)
    shown = what_to_show(results)
    console.print(bar(shown))
    print_answers(console, shown.module)
    if others := [result for result in results if result is not shown]:
        console.print(standing(others), style="dim")
    console.print()
    print_key_warning(console)
    print_passing(console, newly_passing(results))
    print_what_next(console, results)
    return 0


def standing(results: list[ModuleResult]) -> str:
    """How far modules are, in a line: "Done: 04. Not started: 04b, 04c."."""
    states: dict[str, list[str]] = {"Done": [], "Begun": [], "Not started": []}
    for result in results:
        state = "Done" if result.complete else "Not started" if is_untouched(result) else "Begun"
        states[state].append(result.module.id)
    return " ".join(f"{state}: {', '.join(ids)}." for state, ids in states.items() if ids)
