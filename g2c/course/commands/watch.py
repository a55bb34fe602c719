"""`g2c watch`: test an exercise file whenever it is saved, and show only the next failing test.

The suite runs in the order of the exercises and ends at the first failing test, so the answer comes at once. Saving a
file again while its tests run stops that run and starts a new one.
"""

import argparse
import time

from rich.console import Console

from g2c.common.paths import display_path
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
        """Module ID -> contents of its files at the last run of its suite, or at the start."""
        self.ready: SuiteRun | None = None
        """A run of the suite that will probably be needed next; its process has already started."""

    def watch(self) -> None:
        """Test and show the results until Ctrl-C."""
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
        """Test a module. When it is complete, continue with the next incomplete one in the course's order."""
        result = self._test(module)
        if result.complete:
            print_next_step(self.console, result)
            others = (self._test(other) for other in self.modules if other is not module)
            result = next((other for other in others if not other.complete), result)
        self._show(result)
        self.ready = self.ready or _prepare(result.module)

    def _test(self, module: Module) -> ModuleResult:
        """The result of a module's suite, run again until its files do not change during the run."""
        while True:
            self.seen[module.id] = _contents(module)
            self.console.print(f"Running {module.suite} …", style="dim")
            with self._run_of(module) as suite:
                while not self._is_saved(module):
                    if suite.wait(SECONDS_BETWEEN_LOOKS):
                        return suite.result()

    def _run_of(self, module: Module) -> SuiteRun:
        """The prepared run if it belongs to this module, else a new one."""
        ready, self.ready = self.ready, None
        if ready and ready.module is module:
            return ready
        if ready:
            ready.close()
        return _prepare(module)

    def _is_saved(self, module: Module) -> bool:
        """Whether a module's files have changed since they were last read."""
        return _contents(module) not in (None, self.seen[module.id])

    def _show(self, result: ModuleResult) -> None:
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(bar(result))
        self.console.print()
        print_key_warning(self.console, [result])
        print_next_step(self.console, result)
        self.console.print(f"\nWatching {display_path(result.module.exercise_file)}. Ctrl-C ends.", style="dim")


def _prepare(module: Module) -> SuiteRun:
    return SuiteRun(module, module.groups, stop="first")


def _contents(module: Module) -> tuple[bytes, bytes] | None:
    """Contents of the exercise file and the suite; None while an editor is replacing one of them."""
    try:
        return module.exercise_file.read_bytes(), module.suite_file.read_bytes()
    except OSError:
        return None
