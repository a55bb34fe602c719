"""The test runner: a process that runs the course's tests on proxies for one student's code, and records the outcomes.

Its task is a pickled dictionary on standard input, which comes from `g2c grade`:

    report     file for the records: a line of JSON each
    modules    IDs of the modules that are graded; the others use the answer key
    suites     whether the suites are run; without them, only the answers of notebooks are checked
    explains   whether failures are explained
    notebooks  IDs of the modules whose notebook is graded
    hidden     folder of the instructor's tests inside the copy, or None
    sandbox    what the student's code may use, a `SandboxSettings`
"""

import json
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import IO, Any, cast

import hypothesis
import psutil
import pytest
from hypothesis import Phase

from g2c.common.answer_key import VARIABLE
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.pytest_plugin import PLUGIN
from g2c.grading.marks import collected
from g2c.grading.notebook_answers import SUITE, grade_answers
from g2c.grading.plain_text import plain_line, plain_text
from g2c.grading.policy import RUNNER
from g2c.grading.processes import die_with_parent, protect_from_inspection
from g2c.grading.proxies import make_proxies
from g2c.grading.remote import Student

MAX_MESSAGE = 4000
HIDDEN_TESTS = "tests/hidden/"
"""The folder of the instructor's tests, in the runner's copy."""


class NoGuard:
    """In place of the plugin's guard: no student's code runs in this process, and g2c.grading.remote has the limits."""

    def watch(self) -> AbstractContextManager[None]:
        return nullcontext()

    last_resort = watch


class RecordingPlugin:
    """The pytest plugin that reports which tests there are and how each ended."""

    def __init__(self, report: IO[str], student: Student, task: dict[str, Any]) -> None:
        self.report = report
        self.student = student
        self.explains: bool = task["explains"]
        self.has_hidden = has_hidden = task["hidden"] is not None
        self.written_notes = 0
        # A file of hidden tests may call the student's code while it is imported.
        student.begin_test(hidden=has_hidden)

    def write(self, record: dict[str, Any]) -> None:
        print(json.dumps(record), file=self.report, flush=True)

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(n): what a hidden test, or a class of them, is worth")

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        plugin: Any = session.config.pluginmanager.get_plugin(PLUGIN)
        plugin.guard = NoGuard()
        plugin.explains = self.explains

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Let pytest keep what it makes of the tests' `assert` statements, for the runs on other submissions."""
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
        try:
            return (yield)
        finally:
            sys.dont_write_bytecode = before

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests that inspect the student's code while it runs: that code is in another process."""
        inside = [item for item in items if item.get_closest_marker("in_process")]
        config.hook.pytest_deselected(items=inside)
        # Hidden tests come last: nothing that the student's code learns from them can reach the visible ones.
        items[:] = sorted((item for item in items if item not in inside), key=lambda item: is_hidden(item.nodeid))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self.has_hidden:
            self._write_notes(hidden=True)
            # What the files of hidden tests have seen while they were imported is forgotten, and so is what was noted.
            self.student.start_afresh()
            self.written_notes = 0
        for item in session.items:
            self.write(collected(item))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write({"unreadable": report.nodeid, "message": report.longreprtext[-MAX_MESSAGE:]})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        hidden = is_hidden(item.nodeid)
        if hidden and not self.student.in_hidden_test:
            self.student.process.stop()
        self.student.begin_test(hidden=hidden)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        try:
            return (yield)
        except Exception as error:
            # Objects of the course's classes come with attributes that the student's code chose: their `repr` may fail.
            text = f"The test failed, and what came back cannot be shown ({type(error).__name__})."
            return pytest.TestReport(item.nodeid, item.location, {}, "failed", text, cast(Any, call.when))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write_notes(hidden=is_hidden(report.nodeid))
        if report.when == "call" or not report.passed:
            properties = dict(report.user_properties)
            self.write(
                {
                    "test": report.nodeid,
                    "outcome": report.outcome,
                    "mistake": plain_line(str(mistake)) if (mistake := properties.get("mistake")) else None,
                    "error": properties.get("error"),
                    "hidden": is_hidden(report.nodeid),
                    "message": plain_text(report.longreprtext[:MAX_MESSAGE]) if report.failed else "",
                }
            )

    def _write_notes(self, *, hidden: bool) -> None:
        for note in self.student.notes[self.written_notes :]:
            self.write({"note": plain_line(note), "hidden": hidden})
            self.written_notes += 1

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        characters, beginning = self.student.printed
        self.write({"end": int(exitstatus), "printed": (characters, plain_text(beginning))})


def is_hidden(node: str) -> bool:
    """Whether a test is one of the instructor's own."""
    return node.startswith(HIDDEN_TESTS)


def run_tests(task: dict[str, Any]) -> int:
    """Run the tests and write the records. Returns pytest's exit code."""
    graded = [module for module in modules().values() if module.id in task["modules"]]
    os.environ[VARIABLE] = ",".join(module_id for module_id in modules() if module_id not in task["modules"])
    # For a mark, the first failing example is enough; the search for the smallest one takes long.
    # Every student gets the same examples, whoever was graded before.
    hypothesis.settings.register_profile(
        "grading", phases=(Phase.explicit, Phase.generate), derandomize=True, database=None
    )
    hypothesis.settings.load_profile("grading")
    arguments = [str(REPOSITORY / module.suite) for module in graded] if task["suites"] else []
    if task["notebooks"]:
        arguments.append(str(REPOSITORY / SUITE))
    if task["hidden"]:
        arguments.append(str(task["hidden"]))
    arguments += [f"--rootdir={REPOSITORY}", f"--config-file={REPOSITORY / 'pyproject.toml'}", "--quiet", "--tb=line"]
    # No student's code runs here, and the search for unraisable exceptions takes long at the end.
    for plugin in ("no:cacheprovider", "no:unraisableexception", "pytest_timeout"):
        arguments += ["-p", plugin]
    # Where a file of hidden tests calls code that does not return, the other tests run all the same.
    arguments += ["--disable-warnings", "--continue-on-collection-errors"]
    die_with_parent()
    protect_from_inspection()
    RUNNER.set()
    with open(task["report"], "w", encoding="utf-8") as report, Student(task["sandbox"]) as student:
        for module in graded:
            for name, proxy in make_proxies(module, student).items():
                setattr(import_module(module.package), name, proxy)
        grade_answers([module for module in graded if module.id in task["notebooks"]], student)
        code = pytest.main(arguments, plugins=[RecordingPlugin(report, student, task)])
    for process in psutil.Process().children(recursive=True):
        process.kill()
    return int(code)
