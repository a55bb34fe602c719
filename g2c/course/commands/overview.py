"""`g2c` without a command: a bar per module, the next failing test with its message, and what to do about it."""

import argparse

from g2c.course.answer_list import is_begun
from g2c.course.end_screen import print_end, worth_an_end
from g2c.course.terminal import answers_line, bar, make_console, print_key_warning, print_next_step, run_suites


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
