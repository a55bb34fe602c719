"""`g2c` alone: a bar a module, the next failing test with its message, and what to do about it."""

import argparse

from g2c.course.runner import standing
from g2c.course.terminal import bar, make_console, print_commands, print_key_warning, print_next_step


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    results = run_suites(fresh=False)
    for result in results:
        console.print(bar(result))
    console.print()
    print_key_warning(console, results)
    unfinished = next((result for result in results if not result.complete), None)
    if unfinished:
        print_next_step(console, unfinished)
    else:
        console.print("Every exercise passes.", style="bold green")
        print_commands(console, {"train your tokenizer": "g2c train shakespeare"})
    return 0


def run_suites(*, fresh: bool):
    """The results of all modules, with a line on stderr while suites run."""
    with make_console(stderr=True).status("") as status:
        return standing(fresh=fresh, on_run=lambda module: status.update(f"Running {module.suite} …"))
