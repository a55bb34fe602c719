"""The test runner: a process that runs the course's tests on proxies for one student's code, and signs the outcomes.

Its task is a pickled dictionary on standard input, which comes from `g2c grade`:

    key        of the signature
    report     file for the records
    modules    IDs of the modules that are graded; the others use the answer key
    hidden     folder of the instructor's tests inside the copy, or None
    sandbox    what the student's code may use, a `SandboxSettings`
    user       the user ID that the student's code runs as, or None
"""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import hypothesis
import psutil
import pytest
from hypothesis import Phase

from g2c.common.answer_key import VARIABLE
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.limits import Limits
from g2c.course.pytest_plugin import PLUGIN
from g2c.grading import records
from g2c.grading.marks import collected
from g2c.grading.processes import die_with_parent, protect_from_inspection
from g2c.grading.proxies import make_proxies
from g2c.grading.remote import Student

MAX_MESSAGE = 4000
UNGUARDED = Limits(seconds=3600, seconds_again=3600, last_resort=3600, megabytes=8192)
"""No student's code runs in this process: the limits that count are those of g2c.grading.remote."""


class RecordingPlugin:
    """The pytest plugin that reports which tests there are and how each ended."""

    def __init__(self, writer: records.Writer, student: Student) -> None:
        self.writer = writer
        self.student = student
        self.written_notes = 0

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(n): what a hidden test, or a class of them, is worth")

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        plugin: Any = session.config.pluginmanager.get_plugin(PLUGIN)
        plugin.guard.limits = UNGUARDED

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests that inspect the student's code while it runs: that code is in another process."""
        inside = [item for item in items if item.get_closest_marker("in_process")]
        config.hook.pytest_deselected(items=inside)
        items[:] = [item for item in items if item not in inside]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.writer.write(collected(item))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.writer.write({"unreadable": report.nodeid, "message": report.longreprtext[-MAX_MESSAGE:]})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.student.begin_test()
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for note in self.student.notes[self.written_notes :]:
            self.writer.write({"note": note})
            self.written_notes += 1
        if report.when == "call" or not report.passed:
            properties = dict(report.user_properties)
            self.writer.write(
                {
                    "test": report.nodeid,
                    "outcome": report.outcome,
                    "mistake": properties.get("mistake"),
                    "error": properties.get("error"),
                    "message": report.longreprtext[:MAX_MESSAGE] if report.failed else "",
                }
            )

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.writer.write({"end": int(exitstatus), "printed": self.student.printed})


def run_tests(task: dict[str, Any]) -> int:
    """Run the tests and write the records. Returns pytest's exit code."""
    graded = [module for module in modules().values() if module.id in task["modules"]]
    os.environ[VARIABLE] = ",".join(module_id for module_id in modules() if module_id not in task["modules"])
    # For a mark, the first failing example is enough; the search for the smallest one takes long.
    hypothesis.settings.register_profile("grading", phases=(Phase.explicit, Phase.generate))
    hypothesis.settings.load_profile("grading")
    arguments = [str(REPOSITORY / module.suite) for module in graded]
    if task["hidden"]:
        arguments.append(str(task["hidden"]))
    arguments += [f"--rootdir={REPOSITORY}", f"--config-file={REPOSITORY / 'pyproject.toml'}", "--quiet", "--tb=line"]
    arguments += ["-p", "no:cacheprovider", "-p", "pytest_timeout", "--disable-warnings"]
    die_with_parent()
    protect_from_inspection()
    with open(task["report"], "w", encoding="utf-8") as report, Student(task["sandbox"], task["user"]) as student:
        for module in graded:
            for name, proxy in make_proxies(module, student).items():
                setattr(import_module(module.package), name, proxy)
        writer = records.Writer(report, task["key"])
        code = pytest.main(arguments, plugins=[RecordingPlugin(writer, student)])
    for process in psutil.Process().children(recursive=True):
        process.kill()
    return int(code)
