"""`g2c watch`: test an exercise file whenever it is saved, and show just the next failing test.

The suite runs in the order of the exercises and ends at the first failing test, so the answer comes at once. A file
that is saved again while its tests run ends that run, and a new one begins.
"""

import argparse
import time

from rich.console import Console

from g2c.common.paths import shown
from g2c.course.exercises import Module, modules
from g2c.course.runner import ModuleResult, SuiteRun
from g2c.course.terminal import bar, make_console, print_key_warning, print_next_step

SECONDS_BETWEEN_LOOKS = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    _Watcher(make_console()).watch()
    return 0


class _Watcher:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.modules = list(modules().values())
        self.seen = {module.id: _contents(module) for module in self.modules}
        """Module ID -> what its files held when its suite ran last, or when the watch began."""
        self.ready: SuiteRun | None = None
        """A run of the suite that is likely to be wanted next, whose process has started already."""

    def watch(self) -> None:
        """Test and show, until Ctrl-C."""
        try:
            self._test_from(self.modules[0])
            while True:
                time.sleep(SECONDS_BETWEEN_LOOKS)
                saved = next((module for module in self.modules if self._is_saved(module)), None)
                if saved:
                    self._test_from(saved)
        finally:
            if self.ready:
                self.ready.close()

    def _test_from(self, module: Module) -> None:
        """Test a module. When it is complete go on to the next one that is not, in the course's order."""
        result = self._test(module)
        if result.complete:
            print_next_step(self.console, result)
            others = (self._test(other) for other in self.modules if other is not module)
            result = next((other for other in others if not other.complete), result)
        self._show(result)
        self.ready = self.ready or _prepare(result.module)

    def _test(self, module: Module) -> ModuleResult:
        """The result of a module's suite, for the files as they are when it ends."""
        while True:
            self.seen[module.id] = _contents(module)
            self.console.print(f"Running {module.suite} …", style="dim")
            with self._run_of(module) as suite:
                while not self._is_saved(module):
                    if suite.wait(SECONDS_BETWEEN_LOOKS):
                        return suite.result()

    def _run_of(self, module: Module) -> SuiteRun:
        """The run that is ready when it is one of this module, else a new one."""
        ready, self.ready = self.ready, None
        if ready and ready.module is module:
            return ready
        if ready:
            ready.close()
        return _prepare(module)

    def _is_saved(self, module: Module) -> bool:
        """Whether a module's files hold something else than when they were seen last."""
        return _contents(module) not in (None, self.seen[module.id])

    def _show(self, result: ModuleResult) -> None:
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(bar(result))
        self.console.print()
        print_key_warning(self.console, [result])
        print_next_step(self.console, result)
        self.console.print(f"\nWatching {shown(result.module.exercise_file)}. Ctrl-C ends.", style="dim")


def _prepare(module: Module) -> SuiteRun:
    return SuiteRun(module, module.groups, stop="first")


def _contents(module: Module) -> tuple[bytes, bytes] | None:
    """What the exercise file and the suite hold; None while an editor is just replacing one of them."""
    try:
        return module.exercise_file.read_bytes(), module.suite_file.read_bytes()
    except OSError:
        return None
