"""`g2c watch`: test an exercise file whenever it is saved, and show only the next failing test.

The suite runs in the order of the exercises and stops at the first failing test, so the result appears at once. Saving
a file while tests run stops that run and starts a new one. Keys show hints, the list of exercises and the answer. The
end screen of a complete module stays until a key is pressed.
"""

import argparse
import os
import select
import sys
import termios
import tty
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from g2c.common.answer_key import has_key
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.commands.hint import print_hints
from g2c.course.commands.solution import print_answer, warning
from g2c.course.commands.state import next_hint
from g2c.course.commands.status import print_end, what_to_show
from g2c.course.commands.terminal import (
    bar,
    make_console,
    newly_passing,
    print_exercises,
    print_key_warning,
    print_next_step,
    print_passing,
)
from g2c.course.exercise_file import problem_of
from g2c.course.exercises import Exercise, Module, modules
from g2c.course.testing.runs import ModuleResult, SuiteRun, results_of_all_modules

SECONDS_BETWEEN_LOOKS = 0.05
"""The time between two looks at the files, the running suite and the size of the terminal."""

KEYS = f"h hint   l list   r run again   {'s solution   ' if has_key() else ''}q quit"
ANY_KEY = "q quits, any other key goes back."

Draw = Callable[[bool], None]
"""Prints a screen; with True, the short form for a small terminal."""


def run(arguments: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CourseError("`g2c watch` needs a terminal. `g2c` tests once, and shows the next failing test anywhere.")
    _Watcher(make_console()).watch()
    return 0


class _Quit(Exception):
    """Says that the student has pressed q."""


class _Saved(Exception):
    """Says that a module's file was saved, or r was pressed, so the module is tested now, whatever is shown."""

    def __init__(self, module: Module) -> None:
        self.module = module


class _Watcher:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.stamps = {module.id: _stamp(module.exercise_file) for module in modules().values()}
        self.size = os.get_terminal_size()
        self.shown: set[str] = set()
        """IDs of the modules whose results have been shown."""
        self.ready: SuiteRun | None = None
        """A run of the suite that will probably be needed next, in a process that has already started."""

    def watch(self) -> None:
        """Test and show results until q or Ctrl-C is pressed."""
        saved: Module | None = None
        settings = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        try:
            while True:
                try:
                    self._show(self._test(saved) if saved else self._next_result())
                    saved = None
                except _Saved as event:
                    saved = event.module
        except _Quit:
            return
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
            if self.ready:
                self.ready.close()
            self.console.print()

    # --- tests --------------------------------------------------------------------------------------------------------

    def _next_result(self) -> ModuleResult:
        """Return the result of the first incomplete module, or of the one before it if that was just completed."""
        results = results_of_all_modules(stop_early=True, on_run=self._print_running)
        shown = what_to_show(results)
        if shown.complete and shown.module.id in self.shown:
            return next((result for result in results if not result.complete), shown)
        return shown

    def _test(self, module: Module) -> ModuleResult:
        self._print_running(module)
        ready, self.ready = self.ready, None
        if ready and ready.module is not module:
            ready.close()
            ready = None
        with ready or SuiteRun(module, to_first_failure=True) as suite:
            while not suite.wait(0):
                self._next_key(partial(self._print_running, module))
            return suite.result()

    # --- screens ------------------------------------------------------------------------------------------------------

    def _show(self, result: ModuleResult) -> None:
        """Show a result until a file is saved or, if the module is complete, until a key is pressed."""
        self.shown.add(result.module.id)
        show = self._show_end if result.complete else self._show_next_step
        show(result, newly_passing([result]))

    def _show_next_step(self, result: ModuleResult, now_passing: list[Exercise]) -> None:
        """Show the next failing test of a module, and what keys ask for."""
        module = result.module
        # If the file cannot be used, tests do not tell which exercise is next.
        exercise = None if problem_of(module) else result.next_exercise

        def draw(brief: bool) -> None:
            self.console.print(bar(result))
            if not brief:
                self.console.print()
            print_passing(self.console, now_passing, brief=brief)
            print_key_warning(self.console)
            print_next_step(self.console, result, brief=brief, commands=False)

        self.ready = self.ready or SuiteRun(module, to_first_failure=True)
        while True:
            key = self._ask(draw, f"Watching {display_path(module.exercise_file)}: save it to test it.\n{KEYS}")
            if key == "r":
                raise _Saved(module)
            if key == "l":
                self._ask(lambda brief: self._draw_list(result), ANY_KEY)
            elif key == "h" and exercise:
                self._show_hints(exercise)
            elif key == "s" and exercise and has_key():
                self._show_answer(exercise)

    def _print_running(self, module: Module) -> None:
        self._print(lambda brief: self.console.print(f"Running {module.suite} …", style="dim"), "")

    def _draw_list(self, result: ModuleResult) -> None:
        self.console.print(bar(result))
        print_exercises(self.console, result)

    def _show_hints(self, exercise: Exercise) -> None:
        """Show the hints seen so far, and a new one after another try."""
        number, _ = next_hint(exercise, more=False)
        footer = "" if number == len(exercise.hints) else "The next hint comes after another try.\n"
        self._ask(lambda brief: print_hints(self.console, exercise, number), footer + ANY_KEY)

    def _show_answer(self, exercise: Exercise) -> None:
        if self._ask(lambda brief: self.console.print(Text(warning(exercise))), f"y shows it. {ANY_KEY}") == "y":
            self._ask(lambda brief: print_answer(self.console, exercise), ANY_KEY)

    def _show_end(self, result: ModuleResult, now_passing: list[Exercise]) -> None:
        with self.console.capture() as capture:
            print_end(self.console, result)
        text = Text.from_ansi(capture.get().rstrip())

        def draw(brief: bool) -> None:
            self.console.print(bar(result))
            self.console.print()
            print_key_warning(self.console)
            print_passing(self.console, now_passing, brief=brief)
            self.console.print(text)

        self._ask(draw, "q quits, any other key goes on.")

    # --- keys ---------------------------------------------------------------------------------------------------------

    def _ask(self, draw: Draw, footer: str) -> str:
        """Show a screen until a key is pressed, and return the key."""
        show = partial(self._print, draw, footer)
        show()
        while not (key := self._next_key(show)):
            pass
        return key

    def _next_key(self, show: Callable[[], None]) -> str:
        """Return the key that is pressed in the next moment, or "". If the terminal's size changes, call `show`."""
        # Keys arrive at once and are not echoed. Set each time, because a shell may undo it after Ctrl-Z.
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        if select.select([sys.stdin], [], [], SECONDS_BETWEEN_LOOKS)[0]:
            # An arrow key sends several characters. At the end of input, the terminal is gone.
            key = os.read(sys.stdin.fileno(), 64).decode("utf-8", errors="ignore") or "q"
            if key == "q":
                raise _Quit
            return key
        if self.size != (size := os.get_terminal_size()):
            self.size = size
            show()
        for module in modules().values():
            # A file that an editor is replacing is missing for a moment.
            if (stamp := _stamp(module.exercise_file)) not in (self.stamps[module.id], None):
                self.stamps[module.id] = stamp
                raise _Saved(module)
        return ""

    def _print(self, draw: Draw, footer: str) -> None:
        """Print a screen from the terminal's first row on, cut to its height, and the footer below it."""
        last_lines = self._lines(lambda _: self.console.print(footer, style="dim"), brief=False)
        room = self.console.height - len(last_lines) - 1
        lines = self._lines(draw, brief=False)
        if len(lines) > room:
            lines = self._lines(draw, brief=True)
        if len(lines) > room:
            lines = [*lines[: room - 1], "…"]
        self.console.clear()
        # Already rendered: styles are in the text.
        self.console.file.write("\n".join([*lines, "", *last_lines] if last_lines else lines))
        self.console.file.flush()

    def _lines(self, draw: Draw, *, brief: bool) -> list[str]:
        with self.console.capture() as capture:
            draw(brief)
        return capture.get().rstrip().splitlines()


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """Return numbers of which a save changes at least one; None while the file is missing."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
