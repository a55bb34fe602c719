"""Prints one screen for `pytest tests/test_tokenizer.py`: the first failure, and what to do next.

The screen has a line for each test group, the first failing test in full, the counts, and "next: …". pytest's other
output is available on request: `pytest -v` prints every failure.
"""

import os
from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from _pytest._io import TerminalWriter
from _pytest.terminal import TerminalReporter

from g2c.course.exercises import modules, modules_with_key
from g2c.course.testing.record import TestRecord, group_of, record_of
from g2c.course.testing.report import Row, wrapped

ROWS = 40
ROWS_AROUND = 11
"""Rows besides groups and failure: the command and the prompt, three at the top, and up to six at the end."""


def is_wanted(config: pytest.Config) -> bool:
    """Tell whether this is a student's run of one suite that asks for no other kind of output."""
    loops = [loop for loop in config.hook.pytest_runtestloop.get_hookimpls() if not (loop.wrapper or loop.hookwrapper)]
    if type(config.pluginmanager.get_plugin("terminalreporter")) is not TerminalReporter or len(loops) > 1:
        return False
    option = config.option
    asks_for_more = option.verbose > 0 or option.tbstyle != "auto" or option.usepdb or os.environ.get("CI")
    files = {(config.invocation_params.dir / argument.split("::")[0]).resolve() for argument in config.args}
    is_one_suite = len(files) == 1 and files <= {module.suite_file for module in modules().values()}
    return is_one_suite and not (asks_for_more or option.collectonly or modules_with_key())


class OneScreen:
    """Replaces the output of pytest's terminal reporter by one screen."""

    def __init__(self, config: pytest.Config, course: Any) -> None:
        self.total: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.failed: set[str] = set()
        """Groups with a failure other than a TODO's."""
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

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        name = group_of(nodeid)
        if self.in_order and not self.done[name]:
            self._begin_line(name)

    def _begin_line(self, name: str) -> None:
        self.reporter.ensure_newline()
        self.reporter.write(f"  {name:<{max(map(len, self.total))}}  ", flush=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = group_of(report.nodeid)
        if report.failed:
            if record_of(report).error != NotImplementedError.__name__:
                self.failed.add(name)
        elif report.when == "call" and report.passed:
            self.passed[name] += 1

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        name = group_of(nodeid)
        self.done[name] += 1
        if self.done[name] == self.total[name]:
            if not self.in_order:
                self._begin_line(name)
            markup = {"green": self.passed[name] == self.total[name], "red": name in self.failed}
            self.reporter.write(f"{self.passed[name]:>3} of {self.total[name]:>3}\n", **markup)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str]:
        """Give a result its usual category, but print no letter."""
        if report.when == "call" or report.skipped:
            return report.outcome, "", ""
        return "error" if report.failed else "", "", ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self) -> None:
        reporter, width = self.reporter, self.reporter._tw.fullwidth
        record: TestRecord | None = self.course.first_failure
        if record:
            for line in wrapped(f"FAILED {record.test}", width) if "::" in record.test else ():
                reporter.write_line(line, red=True, bold=True)
            write_rows(reporter._tw, record.rows(width=width, room=ROWS - ROWS_AROUND - len(self.done)))


def write_rows(writer: TerminalWriter, rows: list[Row]) -> None:
    for label, text, is_mistake in rows:
        writer.write(label, bold=True)
        writer.line(text, red=is_mistake)
