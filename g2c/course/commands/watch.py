"""`g2c watch`: test an exercise file whenever it is saved, and show only the next failing test.

The suite runs in the order of the exercises and ends at the first failing test, so the answer comes at once. Saving a
file while tests run stops that run and starts a new one. Keys show hints, the list of exercises and the answer; when a
module is complete, its end screen stays until a key is pressed.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.text import Text

from g2c.common.answer_key import has_key
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.commands.hint import print_hints
from g2c.course.commands.solution import print_answer, warning
from g2c.course.end_screen import print_end, worth_an_end
from g2c.course.events import RESIZED, Events
from g2c.course.exercises import Exercise, Module, modules
from g2c.course.hints import next_hint
from g2c.course.report_text import BRIEFEST
from g2c.course.runner import ModuleResult, SuiteRun
from g2c.course.terminal import bar, counted, make_console, print_exercises, print_key_warning, print_next_step

SECONDS_BETWEEN_LOOKS = 0.05
"""While a suite runs: how often to ask whether it has ended."""

KEYS = f"h hint   l list   r run again   {'s solution   ' if has_key() else ''}q quit"
ANY_KEY = "q quits, any other key goes back."

Draw = Callable[[int], None]
"""Prints what a screen shows: the whole for 0, and less for each higher level up to BRIEFEST, in a small terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CourseError("`g2c watch` needs a terminal. `g2c` tests once, and shows the next failing test anywhere.")
    _Watcher(make_console()).watch()
    return 0


class _Quit(Exception):
    """The student has pressed q."""


class _Saved(Exception):
    """A file of a module was saved, or r was pressed: whatever is shown, this module is tested now."""

    def __init__(self, module: Module) -> None:
        self.module = module


class _Watcher:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.modules = list(modules().values())
        self.files = {file: module for module in self.modules for file in (module.exercise_file, module.suite_file)}
        self.events = Events(self.files)
        self.results: dict[str, ModuleResult] = {}
        """Module ID -> the last result of its suite."""
        self.passing: dict[str, list[Exercise]] = {}
        """Module ID -> the exercises that passed when its result was last shown."""
        self.ready: SuiteRun | None = None
        """A run of the suite that will probably be needed next; its process has already started."""

    def watch(self) -> None:
        """Test and show the results until q or Ctrl-C is pressed."""
        saved: Module | None = None
        try:
            with self.events:
                while True:
                    try:
                        self._test_and_show(saved)
                    except _Saved as event:
                        saved = event.module
        except _Quit:
            return
        finally:
            if self.ready:
                self.ready.close()
            self.console.print()

    # --- tests --------------------------------------------------------------------------------------------------------

    def _test_and_show(self, saved: Module | None) -> NoReturn:
        """Test the module that was saved, in the beginning all, and show the next failing test or the end of one."""
        if saved is None:
            results = self._test_up_to_a_failure(self.modules)
            result = worth_an_end(results) or results[-1]
        else:
            before = self.results.get(saved.id)
            result = self._test(saved)
            if result.complete and before and before.complete:
                result = self._after(saved)
        while result.complete:
            self._show_end(result)
            result = self._after(result.module)
        self._show_result(result)

    def _after(self, complete: Module) -> ModuleResult:
        """From a complete module on to the first of the others that is not, or to the end of the course."""
        others = [module for module in self.modules if module is not complete]
        results = self._test_up_to_a_failure(others)
        return self.results[self.modules[-1].id] if all(result.complete for result in results) else results[-1]

    def _test_up_to_a_failure(self, tested: Iterable[Module]) -> list[ModuleResult]:
        results: list[ModuleResult] = []
        for module in tested:
            results.append(self._test(module))
            if not results[-1].complete:
                break
        return results

    def _test(self, module: Module) -> ModuleResult:
        def draw(brief: int) -> None:
            self.console.print(f"Running {module.suite} …", style="dim")

        self._print(draw, "")
        with self._run_of(module) as suite:
            while not suite.wait(0):
                self._next_key(draw, "", SECONDS_BETWEEN_LOOKS)
            self.results[module.id] = suite.result()
        return self.results[module.id]

    def _run_of(self, module: Module) -> SuiteRun:
        """The prepared run if it belongs to this module, else a new one."""
        ready, self.ready = self.ready, None
        if ready and ready.module is module:
            return ready
        if ready:
            ready.close()
        return _prepare(module)

    # --- screens ------------------------------------------------------------------------------------------------------

    def _show_result(self, result: ModuleResult) -> NoReturn:
        """The next failing test of a module, and what keys bring up over it."""
        module, exercise = result.module, result.next_exercise
        passing = [exercise for exercise in module.exercises if result.passes(exercise)]
        before = self.passing.get(module.id, passing)
        self.passing[module.id] = passing

        def draw(brief: int) -> None:
            self.console.print(bar(result))
            for exercise in passing:
                if exercise not in before:
                    tests = counted(result.passed_of_all(exercise)[1], "test")
                    self.console.print(Text(f"✓ {exercise.qualified_name} now passes: {tests}.", style="green"))
            if brief < BRIEFEST:
                self.console.print()
            print_key_warning(self.console, [result])
            print_next_step(self.console, result, brief=brief, commands=False)

        footer = f"{_watching(module)}\n{KEYS}"
        self.ready = self.ready or _prepare(module)
        key = ""
        while True:
            # A screen that a key has brought up ends with another key, which counts here.
            if key == "r":
                raise _Saved(module)
            if key == "l":
                key = self._ask(self._draw_list, ANY_KEY)
            elif key == "h" and exercise:
                key = self._show_hints(exercise)
            elif key == "s" and exercise and has_key():
                key = self._show_answer(exercise)
            else:
                key = self._ask(draw, footer)

    def _draw_list(self, brief: int) -> None:
        """Every module, with the exercises of those that were tested."""
        for module in self.modules:
            result = self.results.get(module.id)
            self.console.print(bar(result or ModuleResult(module)))
            if result and not (brief and result.complete):
                print_exercises(self.console, result)

    def _show_hints(self, exercise: Exercise, *, more: bool = False) -> str:
        """The hints seen so far, with a new one after another try or with the key m. Returns any other key."""
        number, _ = next_hint(exercise, more=more)
        is_last = number == len(exercise.hints)
        footer = ANY_KEY if is_last else f"The next hint comes after another try; m shows it now.\n{ANY_KEY}"
        key = self._ask(lambda brief: print_hints(self.console, exercise, number), footer)
        return self._show_hints(exercise, more=True) if key == "m" and not is_last else key

    def _show_answer(self, exercise: Exercise) -> str:
        """The answer, if the student still wants to see it. Returns the key that ends it."""
        key = self._ask(lambda brief: self.console.print(Text(warning(exercise))), f"y shows it. {ANY_KEY}")
        return self._ask(lambda brief: print_answer(self.console, exercise), ANY_KEY) if key == "y" else key

    def _show_end(self, result: ModuleResult) -> None:
        """The end screen of a module, until a key is pressed; that of the last one for good."""
        is_last = all(module.id in self.results and self.results[module.id].complete for module in self.modules)
        self.passing[result.module.id] = list(result.module.exercises)
        with self.console.capture() as capture:
            print_end(self.console, result)
        text = capture.get()

        def draw(brief: int) -> None:
            self.console.print(bar(result))
            self.console.print()
            print_key_warning(self.console, [result])
            self.console.print(Text.from_ansi(text.rstrip()))

        while is_last:
            self._ask(draw, f"{_watching(result.module)}\nq quits.")
        self._ask(draw, "q quits, any other key goes on to the next module.")

    # --- keys ---------------------------------------------------------------------------------------------------------

    def _ask(self, draw: Draw, footer: str) -> str:
        """Show a screen until a key is pressed, which is returned.

        Raises:
            _Saved, _Quit: a file was saved, or the key is q.
        """
        self._print(draw, footer)
        while not (key := self._next_key(draw, footer)):
            pass
        return key

    def _next_key(self, draw: Draw, footer: str, seconds: float | None = None) -> str:
        """The key of the next event, while this screen is shown; "" for another event, or none in so many seconds."""
        event = self.events.next(seconds)
        if isinstance(event, Path):
            raise _Saved(self.files[event])
        if event == "q":
            raise _Quit
        if event == RESIZED:
            self._print(draw, footer)
            return ""
        return event or ""

    def _print(self, draw: Draw, footer: str) -> None:
        """Print a screen from the terminal's first row on, shortened to its height, with the footer last."""
        with self.console.capture() as capture:
            self.console.print(footer, style="dim", end="")
        last_lines = capture.get().splitlines()
        room = self.console.height - len(last_lines) - 1
        for brief in range(BRIEFEST + 1):
            with self.console.capture() as capture:
                draw(brief)
            lines = capture.get().rstrip().splitlines()
            if len(lines) <= room:
                break
        else:
            lines = [*lines[: room - 1], "…"]
        self.console.clear()
        # Already rendered: styles are in the text.
        self.console.file.write("\n".join([*lines, "", *last_lines] if last_lines else lines))
        self.console.file.flush()


def _watching(module: Module) -> str:
    return f"Watching {display_path(module.exercise_file)}: save it to test it."


def _prepare(module: Module) -> SuiteRun:
    return SuiteRun(module, to_first_failure=True)
