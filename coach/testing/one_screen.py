"""Prints one screen for `pytest tests/test_tokenizer.py`, which is also the screen of `g2c` and `g2c watch`.

It has a line for each test group, what a newly passing exercise teaches, the first failure with its report, the counts,
and "next: …". pytest's other output is available on request: `pytest -v` prints every failure.
"""

import os
import shutil
from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from _pytest._io import TerminalWriter
from _pytest.terminal import TerminalReporter

from coach import standing
from coach.common.errors import CourseError
from coach.exercises import Exercise, Module, modules, modules_with_key
from coach.source import find_function
from coach.testing.report import Row, TestRecord, group_of, next_step, wrapped

ROWS = 40
ROWS_AROUND = 12
"""Rows besides groups and failure: the command and the prompt, three at the top, and up to seven at the end."""


def is_wanted(config: pytest.Config) -> bool:
    """Tell whether this is a student's run of one suite that asks for no other kind of output."""
    loops = [loop for loop in config.hook.pytest_runtestloop.get_hookimpls() if not (loop.wrapper or loop.hookwrapper)]
    if type(config.pluginmanager.get_plugin("terminalreporter")) is not TerminalReporter or len(loops) > 1:
        return False
    option = config.option
    asks_for_more = option.verbose > 0 or option.tbstyle != "auto" or option.usepdb or os.environ.get("CI")
    return not (asks_for_more or option.collectonly or option.solutions) and _suite_of(config) is not None


def _suite_of(config: pytest.Config) -> Module | None:
    """Return the module whose suite alone runs; None if other files run."""
    files = {(config.invocation_params.dir / argument.split("::")[0]).resolve() for argument in config.args}
    return next((module for module in modules().values() if files == {module.suite_file}), None)


class OneScreen:
    """Replaces the output of pytest's terminal reporter by one screen."""

    def __init__(self, config: pytest.Config, course: Any) -> None:
        module = _suite_of(config)
        assert module is not None
        self.module, self.file = module, standing.hash_of(module)
        self.is_whole = True
        """Whether each test of the groups that run was chosen."""
        self.total: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.failed: dict[str, bool] = {}
        """Group with a failure -> whether all its failures are TODOs."""
        self.course = course
        """The plugin of the course, which knows the first failure."""
        self.in_order = True
        reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        self.reporter = reporter
        config.option.no_header = config.option.no_summary = True
        # pytest has no option to turn these off. The lines of the groups show the progress.
        reporter.showfspath = reporter._show_progress_info = False

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        groups = [group_of(item.nodeid) for item in session.items]
        self.total.update(groups)
        self.in_order = len(list(groupby(groups))) == len(self.total)
        is_named = any("[" in one or one.count("::") > 1 for one in session.config.args)
        self.is_whole = not (is_named or self.course.left_out)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        name = group_of(nodeid)
        if self.in_order and not self.done[name]:
            self._begin_line(name)

    def _begin_line(self, name: str) -> None:
        self.reporter.ensure_newline()
        self.reporter.write(f"  {name:<{max(map(len, self.total))}}  ", flush=True)

    def add(self, record: TestRecord) -> None:
        """Count a test that has ended."""
        if record.outcome == "failed":
            self.failed[record.group] = self.failed.get(record.group, True) and record.is_todo
        elif record.outcome == "passed":
            self.passed[record.group] += 1

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        name = group_of(nodeid)
        self.done[name] += 1
        if self.done[name] == self.total[name]:
            if not self.in_order:
                self._begin_line(name)
            markup = {"green": self._passes(name), "red": not self.failed.get(name, True)}
            self.reporter.write(f"{self.passed[name]:>3} of {self.total[name]:>3}\n", **markup)

    def _passes(self, group: str) -> bool:
        return self.passed[group] == self.total[group] > 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str]:
        """Give a result its usual category, but print no letter."""
        if report.when == "call" or report.skipped:
            return report.outcome, "", ""
        return "error" if report.failed else "", "", ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self) -> None:
        writer, width = self.reporter._tw, self.reporter._tw.fullwidth
        rows, record = self._progress(width), self.course.first_failure
        if record:
            lines = min(ROWS, shutil.get_terminal_size((80, ROWS)).lines)
            rows += next_step(record, width=width, room=lines - ROWS_AROUND - len(self.done) - len(rows))[:-1]
            rows += self._rest_of_todo(record, width)
            skipped = len(self.reporter.stats.get("skipped", ()))
            if skipped and self.course.history.endless:
                text = f"{skipped} tests were skipped, because each call that does not return takes time."
                rows += [Row("", line) for line in wrapped(text, width)]
        write_rows(writer, rows)

    def _progress(self, width: int) -> list[Row]:
        """Say how many exercises pass and, of those that did not before, what they teach. Stores it for later calls."""
        if not self.is_whole or self.done != self.total or set(self.total) != set(self.module.groups):
            return []
        passed = [one for one in self.module.exercises if all(map(self._passes, one.groups))]
        rows = [standing.bar(self.module, len(passed))]
        if self.module.id not in modules_with_key():
            failed = [one for one in self.module.exercises if set(one.groups) & set(self.failed)]
            complete = all(map(self._passes, self.module.groups))
            for exercise in standing.remember(self.module, self.file, passed, failed, complete=complete):
                rows += [Row(f"✓ {exercise.qualified_name} now passes. ", "")]
                rows += [Row("", line) for line in wrapped(exercise.lesson, width)]
        if not self.failed:
            rows.append(Row(f"All tests of module {self.module.id} pass.", ""))
        return rows

    def _rest_of_todo(self, record: TestRecord, width: int) -> list[Row]:
        """Warn about code below a TODO, which ends it."""
        if not record.is_todo or not record.place:
            return []
        for exercise in self.module.exercises:
            if exercise.name == record.place.function and _is_started(exercise, record.place.line):
                text = "The TODO in that line still ends your code: delete the line when the code is complete."
                return [Row("", line) for line in wrapped(text, width)]
        return []


def _is_started(exercise: Exercise, line: int) -> bool:
    """Tell whether an exercise whose TODO is in this line has code besides it."""
    try:
        function = find_function(exercise.module.exercise_file, exercise)
    except CourseError:
        return False
    return function.first_todo == line and function.is_started


def write_rows(writer: TerminalWriter, rows: list[Row]) -> None:
    for label, text, is_mistake in rows:
        writer.write(label, bold=True)
        writer.line(text, red=is_mistake)
