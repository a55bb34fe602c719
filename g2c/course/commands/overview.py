"""`g2c` without a command: a bar per module, the next failing test with its message, and what to do about it."""

import argparse

from g2c.course.end_screen import print_end, worth_an_end
from g2c.course.notebook_answers import is_begun
from g2c.course.runner import ModuleResult, results_of_all_modules
from g2c.course.terminal import answers_line, bar, make_console, print_key_warning, print_next_step


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    results = run_suites(fresh=False, stop_early=True)
    for result in results:
        console.print(bar(result))
        if (progress := answers_line(result.module)) is not None and is_begun(result.module):
            console.print(progress)
    console.print()
    print_key_warning(console, results)
    if all(result.complete for result in results):
        console.print("Every exercise passes.\n", style="bold green")
    if finished := worth_an_end(results):
        print_end(console, finished)
    else:
        print_next_step(console, next(result for result in results if not result.complete))
    return 0


def run_suites(*, fresh: bool, stop_early: bool = False) -> list[ModuleResult]:
    """The results of all modules, with a line on stderr while suites run. Arguments as for `results_of_all_modules`."""
    with make_console(stderr=True).status("") as status:
        return results_of_all_modules(
            fresh=fresh, stop_early=stop_early, on_run=lambda module: status.update(f"Running {module.suite} …")
        )
