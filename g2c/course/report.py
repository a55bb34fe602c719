"""A pytest plugin that writes down how each test ended, for the `g2c` command.

    pytest -p g2c.course.report --course-report=results.jsonl tests/test_tokenizer.py

The file holds a JSON object a line, written as the run goes on, so that a run which is cut off leaves what it had:

    {"start": node ID}                                                      a test begins
    {"node": node ID, "group": class, "outcome": …, "message": text}        it ended: "passed", "failed" or "skipped"
    {"error": text}                                                         a suite could not be read
    {"end": true}                                                           the run is complete

With --course-stop-groups a group ends at its first failing test.
"""

import json
from pathlib import Path

import pytest

from g2c.course.runner import group_of

NOT_RUN = "an earlier test of this group failed"
LONGEST_MESSAGE = 4000


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("course", "the g2c command")
    group.addoption("--course-report", metavar="FILE", help="write the results to this JSON file")
    group.addoption("--course-stop-groups", action="store_true", help="end a group at its first failing test")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--course-report")
    if path:
        config.pluginmanager.register(_Report(Path(path), config.getoption("--course-stop-groups")))


class _Report:
    def __init__(self, path: Path, stop_groups: bool) -> None:
        self.file = path.open("w", encoding="utf-8")
        self.stop_groups = stop_groups
        self.failed_groups: set[str] = set()
        self.outcome = "passed"
        self.message = ""

    def write(self, **fields) -> None:
        print(json.dumps(fields), file=self.file, flush=True)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.outcome, self.message = "passed", ""
        self.write(start=nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self.stop_groups and group_of(item.nodeid) in self.failed_groups:
            pytest.skip(NOT_RUN)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called for the setup, the call and the teardown of a test, which has failed when one of them has."""
        if report.failed:
            self.failed_groups.add(group_of(report.nodeid))
        if self.outcome == "passed" and report.outcome != "passed":
            self.outcome, self.message = report.outcome, _message(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.write(node=nodeid, group=group_of(nodeid), outcome=self.outcome, message=self.message)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(error=report.longreprtext[-LONGEST_MESSAGE:])

    def pytest_sessionfinish(self) -> None:
        self.write(end=True)
        self.file.close()


def _message(report: pytest.TestReport) -> str:
    if report.skipped:
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else report.longreprtext)[:LONGEST_MESSAGE]
