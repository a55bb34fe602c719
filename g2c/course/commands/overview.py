"""`g2c` without a command: a bar per module, the next failing test with its message, and what to do about it."""

import argparse

from g2c.course.notebook_answers import is_begun
from g2c.course.runner import ModuleResult, results_of_all_modules
from g2c.course.terminal import answers_line, bar, make_console, print_commands, print_key_warning, print_next_step


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    results = run_suites(fresh=False)
    for result in results:
        console.print(bar(result))
        if (progress := answers_line(result.module)) is not None and is_begun(result.module):
            console.print(progress)
    console.print()
    print_key_warning(console, results)
    unfinished = next((result for result in results if not result.complete), None)
    if unfinished:
        print_next_step(console, unfinished)
    else:
        console.print("Every exercise passes.", style="bold green")
        milestones = [result.module.milestone for result in results if result.module.milestone]
        print_commands(console, {milestone.purpose: milestone.command for milestone in milestones})
    return 0


def run_suites(*, fresh: bool) -> list[ModuleResult]:
    """The results of all modules, with a line on stderr while suites run."""
    with make_console(stderr=True).status("") as status:
        return results_of_all_modules(fresh=fresh, on_run=lambda module: status.update(f"Running {module.suite} …"))
