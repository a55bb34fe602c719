"""`g2c watch`: test an exercise file whenever it is saved, and show only the next failing test.

The suite runs in the order of the exercises and ends at the first failing test, so the answer comes at once. Saving a
file again while its tests run stops that run and starts a new one. In a terminal, keys show hints, the list of
exercises and the answer; when a module is complete, its end screen stays until a key is pressed.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from g2c.common.answer_key import has_key
from g2c.common.paths import display_path
from g2c.course.commands.hint import next_hint, print_hints
from g2c.course.commands.solution import print_answer, warning
from g2c.course.end_screen import print_end, worth_an_end
from g2c.course.events import RESIZED, Events
from g2c.course.exercises import HINTS, Exercise, Module, modules
from g2c.course.report_text import BRIEFEST
from g2c.course.runner import ModuleResult, SuiteRun
from g2c.course.terminal import bar, counted, exercise_lines, make_console, print_key_warning, print_next_step

SECONDS_BETWEEN_LOOKS = 0.05
"""While a suite runs: how often to ask whether it has ended."""

KEYS = f"h hint   l list   r run again   {'s solution   ' if has_key() else ''}q quit"
KEYS_NARROW = KEYS.replace("   ", "  ").replace(" again", "").replace("solution", "answer")
ANY_KEY = "q quits, any other key goes back."

Draw = Callable[[int], None]
"""Prints what a screen shows: the whole for 0, and less for each higher level up to BRIEFEST, in a small terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    _Watcher(make_console()).watch()
    return 0


class _Quit(Exception):
    """The student has pressed q."""


class _Watcher:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.modules = list(modules().values())
        self.files = {file: module for module in self.modules for file in (module.exercise_file, module.suite_file)}
        self.events = Events(self.files)
        self.saved: list[Module] = []
        """Modules with a changed file that is not tested yet."""
        self.results: dict[str, ModuleResult] = {}
        """Module ID -> the last result of its suite."""
        self.passing: dict[str, list[Exercise]] = {}
        """Module ID -> the exercises that passed in its last run."""
        self.ready: SuiteRun | None = None
        """A run of the suite that will probably be needed next; its process has already started."""
        self.draw: Draw = lambda brief: None
        self.footer = ""
        self.on_key: Callable[[str], None] = lambda key: None

    def watch(self) -> None:
        """Test and show the results until q or Ctrl-C is pressed."""
        try:
            with self.events:
                self._start()
                while True:
                    self._handle(self.events.next())
        except _Quit:
            return
        finally:
            if self.ready:
                self.ready.close()
            if self.console.is_terminal:
                self.console.print()

    # --- tests --------------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Test from the first module on, up to one that is not complete, and show it or the end of the one before."""
        results = []
        for module in self.modules:
            results.append(self._test(module))
            if not results[-1].complete:
                break
        finished = worth_an_end(results)
        if finished:
            self._show_end(finished)
        else:
            self._show_result(results[-1])

    def _test_and_show(self, module: Module) -> None:
        before = self.results.get(module.id)
        result = self._test(module)
        if result.complete and not (before and before.complete):
            self._show_end(result)
        elif result.complete:
            self._go_on(module)
        else:
            self._show_result(result)

    def _go_on(self, module: Module) -> None:
        """From a complete module to the first that is not complete, in the course's order."""
        others = (self._test(other) for other in self.modules if other is not module)
        result = next((other for other in others if not other.complete), None)
        if result:
            self._show_result(result)
        else:
            self._show_end(self.results[self.modules[-1].id])

    def _test(self, module: Module) -> ModuleResult:
        """The result of a module's suite. When its files change during the run, it begins again."""
        while True:
            self._show(lambda brief: self.console.print(f"Running {module.suite} …", style="dim"), "", _ignore)
            with self._run_of(module) as suite:
                while not suite.wait(0):
                    event = self.events.next(SECONDS_BETWEEN_LOOKS)
                    if isinstance(event, Path):
                        self.saved.append(self.files[event])
                    elif event == "q":
                        raise _Quit
                    elif event == RESIZED:
                        self._redraw()
                    if module in self.saved:
                        self.saved.remove(module)
                        break
                else:
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

    # --- events -------------------------------------------------------------------------------------------------------

    def _handle(self, event: Path | str | None) -> None:
        if isinstance(event, Path):
            self.saved.append(self.files[event])
        elif event == RESIZED:
            self._redraw()
        elif event == "q":
            raise _Quit
        elif event:
            self.on_key(event)
        while self.saved:
            self._test_and_show(self.saved.pop(0))

    # --- screens ------------------------------------------------------------------------------------------------------

    def _show_result(self, result: ModuleResult) -> None:
        """The next failing test of a module."""
        module = result.module
        passing = [exercise for exercise in module.exercises if result.passes(exercise)]
        before = self.passing.get(module.id)
        news = [exercise for exercise in passing if before is not None and exercise not in before]
        self.passing[module.id] = passing

        def draw(brief: int) -> None:
            self.console.print(bar(result))
            for exercise in news:
                tests = counted(result.passed_of_all(exercise)[1], "test")
                self.console.print(Text(f"✓ {exercise.qualified_name} now passes: {tests}.", style="green"))
            if brief < BRIEFEST:
                self.console.print()
            print_key_warning(self.console, [result])
            print_next_step(self.console, result, brief=brief, commands=not self.events.has_keys)

        self._show_screen_of(result, draw)

    def _show_screen_of(self, result: ModuleResult, draw: Draw) -> None:
        watching = f"Watching {display_path(result.module.exercise_file)}"
        keys = f"{watching}: save it to test it.\n{KEYS}"
        footer = keys if self.events.has_keys else f"{watching}. Ctrl-C ends."
        self._show(draw, footer, self._key_in(result, draw))
        self.ready = self.ready or _prepare(result.module)

    def _key_in(self, result: ModuleResult, draw: Draw) -> Callable[[str], None]:
        """What a key does while a result is shown, or a hint or the list that a key has brought up over it."""
        exercise = result.next_exercise

        def press(key: str) -> None:
            if key == "r":
                self._test_and_show(result.module)
            elif key == "l":
                self._show(self._draw_list, ANY_KEY, press)
            elif key == "h" and exercise:
                self._show_hint(exercise, press, more=False)
            elif key == "s" and exercise and has_key():
                self._ask_for_answer(exercise, press)
            else:
                self._show_screen_of(result, draw)

        return press

    def _draw_list(self, brief: int) -> None:
        """Every module, with the exercises of those that were tested."""
        for module in self.modules:
            result = self.results.get(module.id)
            self.console.print(bar(result or ModuleResult(module, False, (), was_run=False)))
            if result and not (brief and result.complete):
                for line in exercise_lines(result):
                    self.console.print(line)

    def _show_hint(self, exercise: Exercise, others: Callable[[str], None], *, more: bool) -> None:
        """The hints seen so far, with a new one after another try or with `more`. `others` is what other keys do."""
        number, _ = next_hint(exercise, more=more)
        is_last = number == HINTS

        def press(key: str) -> None:
            if key == "m" and not is_last:
                self._show_hint(exercise, others, more=True)
            else:
                others(key)

        footer = ANY_KEY if is_last else f"The next hint comes after another try; m shows it now.\n{ANY_KEY}"
        self._show(lambda brief: print_hints(self.console, exercise, number), footer, press)

    def _ask_for_answer(self, exercise: Exercise, others: Callable[[str], None]) -> None:
        def press(key: str) -> None:
            if key == "y":
                self._show(lambda brief: print_answer(self.console, exercise), ANY_KEY, others)
            else:
                others(key)

        question = f"y shows it. {ANY_KEY}"
        self._show(lambda brief: self.console.print(Text(warning(exercise))), question, press)

    def _show_end(self, result: ModuleResult) -> None:
        """The end screen of a module, until a key is pressed."""
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

        watching = f"Watching {display_path(result.module.exercise_file)}"
        if not self.events.has_keys:
            self._show(draw, "" if not is_last else f"{watching}. Ctrl-C ends.", _ignore)
            if not is_last:
                self._go_on(result.module)
        elif is_last:
            self._show(draw, f"{watching}: save it to test it.\nq quits.", _ignore)
        else:
            self._show(
                draw, "q quits, any other key goes on to the next module.", lambda key: self._go_on(result.module)
            )

    def _show(self, draw: Draw, footer: str, on_key: Callable[[str], None]) -> None:
        self.draw, self.footer, self.on_key = draw, footer, on_key
        self._redraw()

    def _redraw(self) -> None:
        """Print the screen: in a terminal from its first row on, shortened to its height, with the footer last."""
        if not self.console.is_terminal:
            self.draw(0)
            self.console.print(f"\n{self.footer}" if self.footer else "")
            return
        with self.console.capture() as capture:
            is_narrow = self.console.width < len(KEYS)
            self.console.print(self.footer.replace(KEYS, KEYS_NARROW if is_narrow else KEYS), style="dim", end="")
        footer = capture.get().splitlines()
        room = self.console.height - len(footer) - 1
        for brief in range(BRIEFEST + 1):
            with self.console.capture() as capture:
                self.draw(brief)
            lines = capture.get().rstrip().splitlines()
            if len(lines) <= room:
                break
        else:
            lines = [*lines[: room - 1], "…"]
        self.console.clear()
        # Already rendered: styles are in the text.
        self.console.file.write("\n".join([*lines, "", *footer] if footer else lines))
        self.console.file.flush()


def _ignore(key: str) -> None:
    pass


def _prepare(module: Module) -> SuiteRun:
    return SuiteRun(module, module.groups, stop="first")
