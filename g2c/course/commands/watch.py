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
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from g2c.common.answer_key import has_key
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.commands.hint import hints
from g2c.course.commands.solution import answer, warning
from g2c.course.commands.state import next_hint
from g2c.course.commands.status import end, what_to_show
from g2c.course.commands.terminal import (
    bar,
    exercise_lines,
    make_console,
    newly_passing,
    next_step,
    passing_lines,
    print_lines,
    warnings,
)
from g2c.course.exercise_file import problem_of
from g2c.course.exercises import Module, modules
from g2c.course.testing.runs import ModuleResult, SuiteRun, results_of_all_modules

SECONDS_BETWEEN_LOOKS = 0.05
"""The time between two looks at the files, the running suite and the size of the terminal."""

KEYS = f"h hint   l list   r run again   {'s solution   ' if has_key() else ''}q quit"
ANY_KEY = "q quits, any other key goes back."


def run(arguments: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CourseError("`g2c watch` needs a terminal. `g2c` tests once, and shows the next failing test anywhere.")
    _Watcher().watch()
    return 0


class _Screen(NamedTuple):
    lines: Callable[[bool], Iterable[Text]]
    """Makes the lines; with True, the short form for a small terminal."""
    footer: str
    on_key: "Callable[[str], _Event]"
    """What happens when a key other than q is pressed."""


_Event = str | Module | _Screen
"""A key, a module to test, or a screen to show; "" if nothing happened."""


class _Watcher:
    def __init__(self) -> None:
        self.console = make_console()
        self.stamps = {module.id: _stamp(module.exercise_file) for module in modules().values()}
        self.size = os.get_terminal_size()
        self.shown: set[str] = set()
        """IDs of the modules whose results have been shown."""
        self.ready: SuiteRun | None = None
        """A run of the suite that will probably be needed next, in a process that has already started."""

    def watch(self) -> None:
        """Test and show results until q or Ctrl-C is pressed."""
        settings = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        try:
            event: _Event = self._next_screen()
            while event != "q":
                match event:
                    case Module():
                        event = self._test(event)
                    case _Screen():
                        event = self._show(event)
                    case "":
                        event = self._next_event()
                    case key:
                        event = self.screen.on_key(key)
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
            if self.ready:
                self.ready.close()
            self.console.print()

    def _next_event(self) -> _Event:
        """Return the key that is pressed, or the module that is saved, in the next moment; "" for neither."""
        # Keys arrive at once and are not echoed. Set each time, because a shell may undo it after Ctrl-Z.
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        if select.select([sys.stdin], [], [], SECONDS_BETWEEN_LOOKS)[0]:
            # An arrow key sends several characters. At the end of input, the terminal is gone.
            return os.read(sys.stdin.fileno(), 64).decode("utf-8", errors="ignore") or "q"
        for module in modules().values():
            # A file that an editor is replacing is missing for a moment.
            if (stamp := _stamp(module.exercise_file)) not in (self.stamps[module.id], None):
                self.stamps[module.id] = stamp
                return module
        if self.size != (size := os.get_terminal_size()):
            self.size = size
            self._show(self.screen)
        return ""

    # --- tests --------------------------------------------------------------------------------------------------------

    def _next_screen(self) -> _Screen:
        """Return the screen of the first incomplete module, or of the one before it if that was just completed."""
        results = results_of_all_modules(stop_early=True, on_run=self._show_running)
        shown = what_to_show(results)
        if shown.complete and shown.module.id in self.shown:
            shown = next((result for result in results if not result.complete), shown)
        return self._screen_of(shown)

    def _test(self, module: Module) -> _Event:
        """Return the screen of a module's result; or q, or a saved module, if that ended the test early."""
        self._show_running(module)
        ready, self.ready = self.ready, None
        if ready and ready.module is not module:
            ready.close()
            ready = None
        with ready or SuiteRun(module, to_first_failure=True) as suite:
            while not suite.wait(0):
                event = self._next_event()
                if event == "q" or isinstance(event, Module):
                    return event
            result = suite.result()
        return self._screen_of(result)

    # --- screens ------------------------------------------------------------------------------------------------------

    def _show_running(self, module: Module) -> None:
        self._show(_Screen(lambda brief: [Text(f"Running {module.suite} …", style="dim")], "", lambda key: ""))

    def _screen_of(self, result: ModuleResult) -> _Screen:
        """Make the screen with the next failing test of a module, or the end screen if there is none."""
        module = result.module
        self.shown.add(module.id)
        now_passing = newly_passing([result])
        at_end = list(end(result)) if result.complete else []

        def lines(brief: bool) -> Iterable[Text]:
            yield bar(result)
            yield from [] if brief and not at_end else [Text()]
            yield from warnings()
            yield from passing_lines(now_passing, brief=brief)
            yield from at_end or next_step(self.console, result, brief=brief, with_commands=False)

        def back(key: str) -> _Event:
            return screen

        def on_key(key: str) -> _Event:
            # If the file cannot be used, tests do not tell which exercise is next.
            exercise = None if problem_of(module) else result.next_exercise
            if key == "r":
                return module
            if key == "l":
                return _Screen(lambda brief: [bar(result), *exercise_lines(result)], ANY_KEY, back)
            if key == "h" and exercise:
                number, _ = next_hint(exercise, more=False)
                footer = "" if number == len(exercise.hints) else "The next hint comes after another try.\n"
                return _Screen(lambda brief: hints(exercise, number), footer + ANY_KEY, back)
            if key == "s" and exercise and has_key():
                text, code = Text(warning(exercise)), _Screen(lambda brief: answer(exercise), ANY_KEY, back)
                footer = f"y shows it. {ANY_KEY}"
                return _Screen(lambda brief: [text], footer, lambda key: code if key == "y" else screen)
            return screen

        if result.complete:
            screen = _Screen(lines, "q quits, any other key goes on.", lambda key: self._next_screen())
        else:
            self.ready = self.ready or SuiteRun(module, to_first_failure=True)
            footer = f"Watching {display_path(module.exercise_file)}: save it to test it.\n{KEYS}"
            screen = _Screen(lines, footer, on_key)
        return screen

    def _show(self, screen: _Screen) -> _Event:
        """Print a screen from the terminal's first row on, cut to its height, and the footer below it."""
        self.screen = screen
        last_lines = self._rendered([Text(screen.footer, style="dim")])
        room = self.console.height - len(last_lines) - 1
        lines = self._rendered(screen.lines(False))
        if len(lines) > room:
            lines = self._rendered(screen.lines(True))
        if len(lines) > room:
            lines = [*lines[: room - 1], "…"]
        self.console.clear()
        # Already rendered: styles are in the text.
        self.console.file.write("\n".join([*lines, "", *last_lines] if last_lines else lines))
        self.console.file.flush()
        return ""

    def _rendered(self, lines: Iterable[Text]) -> list[str]:
        with self.console.capture() as capture:
            print_lines(self.console, lines)
        return capture.get().rstrip().splitlines()


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """Return numbers of which a save changes at least one; None while the file is missing."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
