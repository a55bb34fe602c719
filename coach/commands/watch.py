"""`g2c watch`: run pytest's screen for a module whenever its exercise file is saved, and offer keys below it.

Saving a file while tests run stops that run and starts a new one. The screen of a complete module stays until a key is
pressed.
"""

import argparse
import os
import select
import sys
import termios
import tty
from collections.abc import Iterable

from rich.text import Text

from coach import standing
from coach.commands.hint import exercise_in_work, hints
from coach.commands.solution import answer, warning
from coach.commands.terminal import exercise_lines, in_color, make_console, print_lines, warnings
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.paths import display_path
from coach.exercises import Module, has_answers, modules
from coach.testing.report import next_step
from coach.testing.runs import SuiteRun

SECONDS_BETWEEN_LOOKS = 0.05
"""The time between two looks at the files and the keys."""

KEYS = f"h hint   l list   r run again   {'s solution   ' if has_answers() else ''}q quit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", nargs="?", help="such as 04a; by default the one whose file you saved last")


def run(arguments: argparse.Namespace) -> int:
    module = standing.module_to_show(arguments.module)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CourseError(
            f"`{PROGRAM} watch` needs a terminal. `{PROGRAM}` tests once anywhere, and shows the next failing test."
        )
    settings = termios.tcgetattr(sys.stdin)
    try:
        _Watcher().watch(module)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
    return 0


class _Watcher:
    def __init__(self) -> None:
        self.console = make_console()
        self.stamps = {module.id: _stamp(module) for module in modules().values()}

    def watch(self, module: Module | None) -> None:
        """Test and show results until q or Ctrl-C is pressed, beginning with this module."""
        while module:
            event: Module | str | None = self._test(module)
            while isinstance(event, str):
                event = self._answer(module, event)
            module = event

    def _test(self, module: Module) -> Module | str:
        """Run a suite and show its screen. Returns what happens next: a key, or a module whose file is saved."""
        self.console.clear()
        print_lines(self.console, warnings())
        with SuiteRun(module) as suite:
            while not suite.wait(0):
                event = self._event()
                if event == "q" or isinstance(event, Module):
                    return event
            if record := suite.broken():
                self._show(["", *in_color(next_step(record, width=self.console.width))])
        if standing.is_complete(module):
            return self._wait("q quits, any other key goes on.")
        return self._wait(f"Watching {display_path(module.exercise_file)}: save it to test it.\n{KEYS}")

    def _answer(self, module: Module, key: str) -> Module | str | None:
        """Do what a key asks for. Returns what happens next: None ends the watch."""
        if key == "q":
            return None
        if standing.is_complete(module):
            return standing.module_in_work() or module
        if key == "r":
            return module
        try:
            if key == "l":
                done = standing.bar(module, len(standing.passing(module)))
                self._show([*in_color([done]), *exercise_lines(module)])
            elif key == "h":
                self._show(hints(exercise_in_work()))
            elif key == "s" and has_answers():
                exercise = exercise_in_work()
                self._show([warning(exercise)])
                event = self._wait("y shows it, any other key goes back.")
                if event != "y":
                    return "" if isinstance(event, str) and event != "q" else event
                self._show(answer(exercise))
        except CourseError as error:
            self._show([str(error)])
        return self._wait(KEYS)

    def _show(self, lines: Iterable[Text | str]) -> None:
        print_lines(self.console, [Text(), *(Text(line) if isinstance(line, str) else line for line in lines)])

    def _wait(self, footer: str) -> Module | str:
        """Print a footer, and wait for a key or a saved file."""
        print_lines(self.console, [Text(f"\n{footer}", style="dim")])
        while not (event := self._event()):
            pass
        return event

    def _event(self) -> Module | str:
        """Return the key that is pressed, or the module that is saved, in the next moment; "" for neither."""
        # Keys arrive at once and are not echoed. Set each time, because a shell may undo it after Ctrl-Z.
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        if select.select([sys.stdin], [], [], SECONDS_BETWEEN_LOOKS)[0]:
            # An arrow key sends several characters. At the end of input, the terminal is gone.
            return os.read(sys.stdin.fileno(), 64).decode("utf-8", errors="ignore") or "q"
        for module in modules().values():
            # A file that an editor is replacing is missing for a moment.
            if (stamp := _stamp(module)) not in (self.stamps[module.id], None):
                self.stamps[module.id] = stamp
                return module
        return ""


def _stamp(module: Module) -> tuple[int, int, int] | None:
    """Return numbers of which a save of the exercise file changes at least one; None while the file is missing."""
    try:
        status = module.exercise_file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
