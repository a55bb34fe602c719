"""A pytest plugin for the `g2c` command: with --stop-groups, a test class ends at its first failing test.

One failing test per group is enough to show which exercises pass. The rest may take long: a call that never returns is
stopped only after some seconds.
"""

import pytest

from g2c.course.runner import group_of


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("g2c").addoption(
        "--stop-groups", action="store_true", help="end a test class at its first failing test"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--stop-groups"):
        config.pluginmanager.register(_StopGroups())


class _StopGroups:
    def __init__(self) -> None:
        self.failed: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if group_of(item.nodeid) in self.failed:
            pytest.skip("an earlier test of this group failed")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(group_of(report.nodeid))
