"""`g2c` alone tests the module in work, and `g2c 04a` another one, on pytest's screen. `g2c status` tests nothing: it
lists the modules, with what the last run of each suite showed, and what the course adds, such as its corpora and
artifacts.
"""

import argparse
from collections.abc import Iterator

from rich.text import Text

from coach import standing
from coach.commands.terminal import answer_lines, exercise_lines, in_color, make_console, print_lines, warnings
from coach.common.course_file import hook
from coach.exercises import counted_modules, modules, modules_with_key
from coach.testing.report import next_step
from coach.testing.runs import SuiteRun


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    if arguments.command:
        print_lines(console, _everything())
        return 0
    print_lines(console, warnings())
    with SuiteRun(standing.module_to_show(arguments.module)) as suite:
        suite.wait()
        if record := suite.broken():
            width = console.width if console.is_terminal else None
            print_lines(console, [Text(), *in_color(next_step(record, width=width))])
    return 0


def _everything() -> Iterator[Text]:
    # The title comes first, because a busy machine may take seconds for the rest.
    yield Text("Exercises", style="bold")
    shown, chosen = standing.module_to_show(), counted_modules()
    for module in modules().values():
        tested = standing.passing(module)
        later = "  changed since its last test" if tested and not standing.is_current(module) else ""
        optional = "  optional" if module not in chosen else ""
        [line] = in_color([standing.bar(module, len(tested))])
        yield line.append(later + optional, style="dim")
        if module is shown:
            yield from exercise_lines(module)
            yield from answer_lines(module)
    yield from warnings()
    if not modules_with_key():
        yield Text("    Your own code was tested, not the answer key.", style="dim")
    if further := hook("status"):
        yield from further()
    yield Text()
    yield from in_color(standing.what_next(shown))
