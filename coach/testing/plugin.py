"""Defines the course's pytest plugin, which selects the code under test, limits it, and prints failures as reports.

pyproject.toml loads it for every run. It adds

    --solutions            test the answer key instead of the student's code (sets G2C_SOLUTIONS=all)
    --course-report FILE   write a line of JSON for each test as soon as it ends; record.py has the format
    --stop-groups          stop a test class at its first failing test, and skip classes that need all exercises: this
                           suffices to show what passes

and the marker `student("04")`, with which a suite names its module: marked tests run under limits (limits.py), and a
failure is shown as a report of a few lines below the code that failed. `pytest tests/test_tokenizer.py` alone prints
one screen (one_screen.py); `pytest -v` prints every failure.
"""

import json
import os
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from coach.common.answer_key import VARIABLE
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.paths import other_clone
from coach.diagnosis import diagnose
from coach.exercise_file import problem_of
from coach.exercises import counted_modules, module_of, modules, modules_with_key
from coach.standing import next_rows, steps_after
from coach.teaching import limit_report, recording
from coach.testing.calls import History
from coach.testing.explain import explained
from coach.testing.limits import Guard, Limits, OverLimit
from coach.testing.one_screen import OneScreen, is_wanted, write_rows
from coach.testing.record import Collected, as_json, record_of
from coach.testing.report import Place, Row, TestRecord, group_of, what_to_do
from coach.testing.student_code import is_student_file

LOADING = Limits(seconds=10, megabytes=1 << 20)
"""Limits for importing an exercise file: time enough for the libraries that it imports, and in effect any memory."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("g2c", "the course")
    group.addoption("--solutions", action="store_true", help="test the answer key instead of your own code")
    group.addoption("--course-report", metavar="FILE", type=Path, help="write one line of JSON for each test to FILE")
    group.addoption("--stop-groups", action="store_true", help="end a test class when a test of it fails")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    # Before any test file is imported: a package chooses between student's code and key when a name is first requested.
    if early_config.known_args_namespace.solutions:
        os.environ[VARIABLE] = "all"


MARKERS = (
    "student(module): tests the exercises of this module of the course",
    "core: where submissions are graded, its test group earns at most half of its points unless this test passes",
    "in_process: looks into the student's code while it runs; left out where submissions are graded",
    "points(n): what one of an instructor's hidden tests, or a class of them, is worth",
)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    try:
        # On a busy machine, a limit's interruption that read the list first would be interrupted itself, without end.
        counted_modules()
        modules_with_key()
    except CourseError as error:
        raise pytest.UsageError(str(error)) from None
    if not any(isinstance(plugin, CoursePlugin) for plugin in config.pluginmanager.get_plugins()):
        config.pluginmanager.register(CoursePlugin(), "g2c-course")


def code_under_test() -> str:
    """Return a line that says whose code the suites test.

    >>> code_under_test()
    'code under test: the ANSWER KEY (G2C_SOLUTIONS=all), not your own code'
    """
    with_key = modules_with_key()
    if not with_key:
        folders = dict.fromkeys(module.package.replace(".", "/") for module in modules().values())
        return f"code under test: your own, in {' and '.join(folders)}"
    whose, rest = "", ", not your own code"
    if len(with_key) < len(modules()):
        whose, rest = f" of module {', '.join(sorted(with_key))}", "; the rest is your own code"
    return f"code under test: the ANSWER KEY{whose} ({VARIABLE}={os.environ[VARIABLE]}){rest}"


class CoursePlugin:
    """Has the hooks that need the state of a run. Grading passes its own subclass to `pytest.main`.

    Args:
        report_file: receives the lines of the run; None for the file that `--course-report` names, if any.
    """

    config: pytest.Config
    diagnose = staticmethod(diagnose)
    problem_of = staticmethod(problem_of)

    def __init__(self, report_file: TextIO | None = None) -> None:
        self.history = History(self.diagnose)
        self.report_file = report_file
        self.ran_student_tests = self.left_out = False
        self.first_failure: TestRecord | None = None
        """The failure to show and to fix first, in the order of the exercises and not of the run."""
        self._place_of_first: tuple[int, ...] = ()
        self.screen: OneScreen | None = None
        self._opened = ExitStack()
        # pytest redirects a test's standard error; the stack of a process that must be ended goes to the real one.
        crash_report = self._opened.enter_context(os.fdopen(os.dup(2), "w"))
        self.guard = Guard(is_student_file, crash_report=crash_report)

    def watched(self) -> AbstractContextManager[None]:
        """Limit the student code that runs inside."""
        return self.guard.watch()

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self.config = config
        config.add_cleanup(self._opened.close)
        self._opened.enter_context(recording(self.history))
        # With pytest-xdist, the process that starts the others receives all reports.
        path = None if hasattr(config, "workerinput") else config.getoption("--course-report")
        if path:
            self.report_file = self._opened.enter_context(path.open("w", encoding="utf-8"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        # By now, other plugins may have replaced pytest's reporter or its loop.
        if is_wanted(self.config):
            self.screen = OneScreen(self.config, self)
            self.config.pluginmanager.register(self.screen, "g2c-course-screen")

    # --- whose code ---------------------------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.ran_student_tests:
            terminalreporter.write_line(code_under_test(), yellow=bool(modules_with_key()), bold=True)
            if warning := other_clone():
                terminalreporter.write_line(f"{warning} What to do: {PROGRAM} doctor", yellow=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        # This wrapper is the outermost, so the lines follow pytest's own.
        result = yield
        reporter: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter and (self.ran_student_tests or self.first_failure) and not modules_with_key():
            write_rows(reporter._tw, self._last_rows())
        return result

    def _last_rows(self) -> list[Row]:
        """Say what to do about the first failure; without one, what comes after a module that ran to its end."""
        if self.first_failure:
            return [Row("next: ", what_to_do(self.first_failure))]
        ran = set() if self.left_out else set(self.history.passes)
        complete = [module for module in modules().values() if set(module.groups) <= ran]
        return next_rows(steps_after(complete[-1])) if complete else [Row("next: ", f"{PROGRAM} watch")]

    def _failed(self, record: TestRecord, report: pytest.TestReport | pytest.CollectReport) -> None:
        """Have pytest show the record of a failure, even of another process, and keep the first one by module, group
        and line. A file that cannot be loaded comes first."""
        file, line, _ = report.location or (report.nodeid, None, "")
        if hasattr(report, "course_record"):
            at = record.place or Place("", file, (line or 0) + 1)
            crash = ReprFileLocation(at.file, at.line, record.report.headline if record.report else "")
            # pytest shows the printed text.
            report.longrepr = CourseRepr(replace(record, printed=""), crash)
        module = module_of(record.test)
        place: tuple[int, ...] = (len(modules()),)
        if isinstance(report, pytest.CollectReport):
            place = ()
        elif module and record.group in module.groups:
            place = list(modules()).index(module.id), module.groups.index(record.group), line or 0
        if self.first_failure is None or place < self._place_of_first:
            self.first_failure, self._place_of_first = record, place

    # --- which tests run, and their limits ----------------------------------------------------------------------------

    def pytest_deselected(self) -> None:
        """Note that an option, such as -k, --deselect or --lf, leaves tests out."""
        self.left_out = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if "student" not in item.keywords:
            return
        group, module, passes = group_of(item.nodeid), module_of(item.nodeid), self.history.passes
        needs_all = module is not None and group in module.together
        needed = passes.values() if needs_all else [passes.get(group, True)]
        # On the one screen, nobody waits for every test that calls a function which does not return.
        stops = self.config.getoption("--stop-groups") or (self.screen and self.history.endless)
        if stops and not all(needed):
            item.add_marker(pytest.mark.skip("an earlier test failed"))
        self.history.begin_test(group)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        with self.watched() if "student" in item.keywords else nullcontext():
            return (yield)

    pytest_runtest_call = pytest_runtest_setup

    # --- reports ------------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        record = None
        # pytest keeps the errors of a unittest.TestCase with the item.
        raised = call.excinfo or next(iter(getattr(item, "_excinfo", None) or ()), None)
        if raised and "student" in item.keywords:
            record = self._explained(item.nodeid, raised.value)
        if record is None:
            return (yield)
        # pytest would take many seconds to format the failures of 150 TODOs, with one or the other of these methods.
        changed: Any = item
        changed.repr_failure = changed._repr_failure_py = lambda *_, **__: ""
        report = yield
        del changed.repr_failure, changed._repr_failure_py
        vars(report)["course_record"] = as_json(record)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        module = module_of(collector.nodeid) if isinstance(collector, pytest.Module) else None
        if module and (problem := self.problem_of(module)):

            def refuse() -> None:
                raise problem

            changed: Any = collector
            changed.collect = refuse
        error: BaseException | None = None
        # The report contains the error that was raised.
        with suppress(OverLimit), Guard(is_student_file, LOADING).watch():
            try:
                report = yield
            except SystemExit as ended:
                # pytest would end here.
                report, error = pytest.CollectReport(collector.nodeid, "failed", "", []), ended
        call: pytest.CallInfo[Any] | None = getattr(report, "call", None)
        if report.failed and call and call.excinfo:
            # pytest wraps errors that it expects of a test file's import, such as SyntaxError.
            error = call.excinfo.value.__cause__ or call.excinfo.value
        if error and (record := self._explained(collector.nodeid, error, is_import=True)):
            vars(report)["course_record"] = as_json(record)
        elif isinstance(error, SystemExit):
            raise error
        return report

    def _explained(self, test: str, error: BaseException, *, is_import: bool = False) -> TestRecord | None:
        """Explain how a student test failed, or why its suite cannot be imported; None leaves that to pytest."""
        while isinstance(error, BaseExceptionGroup):
            # Hypothesis raises a group if examples fail in different ways.
            error = error.exceptions[0]
        if isinstance(error, OverLimit) and not is_import:
            error = limit_report(error, self.history)
        with_code = self.config.getoption("tbstyle") not in ("no", "line")
        return explained(test, error, is_import=is_import, with_code=with_code)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            record = record_of(report)
            self._failed(record, report)
            self.write({"not loaded": as_json(record)})

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items if self.report_file else ():
            found, core = next(item.iter_markers_with_node("points"), None), bool(item.get_closest_marker("core"))
            points = (found[1].args[0], found[0].nodeid) if found else ()
            self.write(as_json(Collected(item.nodeid, core, *points)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.write({"started": nodeid})

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran_student_tests = self.ran_student_tests or "student" in report.keywords
        if report.when == "call" or not report.passed:
            record = record_of(report)
            self.history.passes.setdefault(record.group, True)
            if report.failed:
                self.history.passes[record.group] = False
                self._failed(record, report)
            if self.screen:
                self.screen.add(record)
            self.write(as_json(record))

    def write(self, line: dict[str, Any]) -> None:
        if self.report_file:
            print(json.dumps(line), file=self.report_file, flush=True)


@dataclass(eq=False)
class CourseRepr(TerminalRepr):
    """Prints a failed student test in pytest: the code that failed, then the report."""

    record: TestRecord
    reprcrash: ReprFileLocation

    def toterminal(self, tw: TerminalWriter) -> None:
        # Output that is stored or sent keeps its lines whole.
        write_rows(tw, self.record.rows(width=tw.fullwidth if tw.hasmarkup else None))
