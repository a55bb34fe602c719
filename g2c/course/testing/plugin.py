"""The course's pytest plugin: selects the code under test, limits student code, and prints failures as reports.

pyproject.toml loads it for every run. It adds

    --solutions            test the answer key instead of the student's code (sets G2C_SOLUTIONS=all)
    --course-report FILE   write one line of JSON for each test as soon as it is done
    --stop-groups          end a test class at its first failing test, and skip those that need all exercises: enough to
                           show what passes

and the marker `student("04")`, which a suite carries for its module: marked tests run under limits (limits.py), and
their failures are shown as a report of a few lines, after the code that failed. `pytest tests/test_tokenizer.py` alone
prints what fits on one screen (one_screen.py); `pytest -v` prints every failure.
"""

import json
import os
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from g2c.common.answer_key import VARIABLE
from g2c.common.errors import CourseError
from g2c.common.paths import display_path, other_clone
from g2c.course.exercise_file import problem_of
from g2c.course.exercises import Module, modules, modules_with_key
from g2c.course.source import SourceError
from g2c.course.teaching import StudentFailure, limit_report
from g2c.course.testing.calls import history
from g2c.course.testing.limits import Guard, Limits, OverLimit
from g2c.course.testing.one_screen import OneScreen, is_wanted
from g2c.course.testing.report_text import report_rows
from g2c.course.testing.runs import CaseResult, group_of
from g2c.course.testing.student_code import (
    NeedlessCall,
    Place,
    code_at,
    code_at_error,
    is_student_file,
    needless_call,
    place_of,
)

AnyReport = TypeVar("AnyReport", pytest.TestReport, pytest.CollectReport)
PLUGIN = "g2c-course"
MAX_LINES, MAX_LINE = 1000, 200
"""How much of what a test prints is passed on: lines, and characters of each."""
LOADING = Limits(seconds=10, megabytes=1 << 20)
"""What importing an exercise file may use: time, which libraries take too, and in effect any memory."""


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


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "student(module): tests the exercises of this module of the course")
    try:
        modules_with_key()
    except CourseError as error:
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(CoursePlugin(config), PLUGIN)


def code_under_test() -> str:
    """One line that says whose code the suites test.

    >>> code_under_test()
    'code under test: the ANSWER KEY (G2C_SOLUTIONS=all), not your own code'
    """
    with_key = modules_with_key()
    if not with_key:
        folders = dict.fromkeys(module.package.replace(".", "/") for module in modules().values())
        return f"code under test: your own, in {' and '.join(folders)}"
    variable = f"({VARIABLE}={os.environ[VARIABLE]})"
    if len(with_key) == len(modules()):
        return f"code under test: the ANSWER KEY {variable}, not your own code"
    return (
        f"code under test: the ANSWER KEY of module {', '.join(sorted(with_key))} {variable}; the rest is your own code"
    )


def is_student_test(item: pytest.Item) -> bool:
    return item.get_closest_marker("student") is not None


class CoursePlugin:
    """The hooks that need the state of one run."""

    def __init__(self, config: pytest.Config) -> None:
        history.clear()
        self.config = config
        # pytest redirects a test's standard error; the stack of a process that had to be ended goes to the real one.
        self.crash_report = os.fdopen(os.dup(2), "w")
        self.guard = Guard(is_student_file, crash_report=self.crash_report)
        self.root = config.rootpath.resolve()
        # Of pytest-xdist's processes, the one that starts the others gets all reports.
        path = None if hasattr(config, "workerinput") else config.getoption("--course-report")
        self.report_file = path.open("w", encoding="utf-8") if path else None
        self.ran_student_tests = False
        self.explains = True
        """Whether failures are explained. Where only outcomes matter, False saves most of the time."""
        self.problem_of = problem_of
        """What keeps the student's files from being tested. Where other files are tested, as in grading: nothing."""
        self.first_failure: pytest.TestReport | pytest.CollectReport | None = None
        """The failure to show and to mend first: in the order of the exercises, whatever the order of the run is."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        # Other plugins may have replaced pytest's reporter, or its loop, by now.
        if is_wanted(self.config):
            self.config.pluginmanager.register(OneScreen(self.config, self), f"{PLUGIN}-screen")

    def pytest_unconfigure(self) -> None:
        self.crash_report.close()
        if self.report_file:
            self.report_file.close()

    # --- whose code ---------------------------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.ran_student_tests:
            terminalreporter.write_line(code_under_test(), yellow=bool(modules_with_key()), bold=True)
            if warning := other_clone():
                terminalreporter.write_line(f"{warning} What to do: g2c doctor", yellow=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        # This wrapper is the outermost: the line comes after the last one of pytest's own.
        result = yield
        reporter: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        failure = self.first_failure
        if reporter and (self.ran_student_tests or failure) and not modules_with_key():
            step = self._step_after(failure) if failure else self._step_after_passing()
            reporter.write_line(f"next: {step}", bold=True)
        return result

    def _step_after_passing(self) -> str:
        """What to do when no test has failed: the notebook of a module that has run to its end, else go on."""
        complete = [module for module in modules().values() if set(module.groups) <= set(history.passes)]
        return f"the notebook: ./noteboosh.sh {complete[-1].id}" if complete else "g2c watch"

    def _step_after(self, report: pytest.TestReport | pytest.CollectReport) -> str:
        """What to do about the first failure."""
        shown = report.longrepr
        if isinstance(report, pytest.CollectReport):
            is_course = isinstance(shown, CourseRepr)
            return "fix this, save the file, and run the same command again" if is_course else "g2c doctor"
        if dict(report.user_properties).get("error") == NotImplementedError.__name__ and isinstance(shown, CourseRepr):
            return f"write {shown.place.function}, in {shown.place}"
        module = self._module_of(report.nodeid)
        exercise = module.exercise_of(group_of(report.nodeid)) if module else None
        if exercise:
            return f"fix {exercise.name}; for a hint: g2c hint {exercise.short_name}"
        return "fix this, save the file, and run the same command again"

    def _module_of(self, node_id: str) -> Module | None:
        """The module whose suite a test is in. The name of a group says less: several suites have a `TestTrain`."""
        file = self.root / node_id.partition("::")[0]
        return next((module for module in modules().values() if module.suite_file == file), None)

    def _place_in_course(self, report: pytest.TestReport | pytest.CollectReport) -> tuple[int, ...]:
        """What failures are ordered by: module, test group and line. A file that cannot be loaded comes first."""
        module, group = self._module_of(report.nodeid), group_of(report.nodeid)
        if isinstance(report, pytest.CollectReport):
            return ()
        if module is None or group not in module.groups:
            return (len(modules()),)
        return list(modules().values()).index(module), module.groups.index(group), report.location[1] or 0

    def _failed(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        first = self.first_failure
        if first is None or self._place_in_course(report) < self._place_in_course(first):
            self.first_failure = report

    # --- which tests run, and their limits ----------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if not is_student_test(item):
            return
        group = group_of(item.nodeid)
        if self.config.getoption("--stop-groups"):
            module = self._module_of(item.nodeid)
            needs_all = module is not None and group in module.together
            needed = history.passes.values() if needs_all else [history.passes.get(group, True)]
            if not all(needed):
                item.add_marker(pytest.mark.skip("an earlier test failed"))
        history.begin_test(group)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._watched(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._watched(item))

    def _watched(self, item: pytest.Item) -> Generator[None, object, object]:
        if not is_student_test(item):
            return (yield)
        with self.guard.watch():
            return (yield)

    # --- reports ------------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, NotImplementedError):
            error = needless_call(error) or error
        explained = self._explain(item, error) if error and is_student_test(item) else None
        if explained is None:
            report = yield
        else:
            # Set beforehand: formatting the failures of 150 stubs takes pytest many seconds. pytest calls one or the
            # other of these methods.
            changed: Any = item
            changed.repr_failure = changed._repr_failure_py = lambda *_, **__: explained
            report = yield
            del changed.repr_failure, changed._repr_failure_py
        if report.failed and error is not None:
            report.user_properties.append(("error", type(error).__name__))
            if explained and explained.mistake:
                report.user_properties.append(("mistake", explained.mistake))
        return _with_fields(report)

    def _explain(self, item: pytest.Item, error: BaseException) -> "CourseRepr | None":
        if isinstance(error, NeedlessCall):
            return CourseRepr(str(error), str(error), error.caller, code_at(error.caller))
        while isinstance(error, BaseExceptionGroup):
            # Hypothesis raises one when the same example fails in different ways.
            error = error.exceptions[0]
        place = place_of(error.__traceback__)
        if isinstance(error, NotImplementedError) and place:
            line = f"{place.function} is not written yet: {place}"
            return CourseRepr(line, f"NotImplementedError: {line}", place)
        if not self.explains:
            name = type(error).__name__
            return CourseRepr(name, name, place or _test_place(item))
        if isinstance(error, OverLimit):
            error = limit_report(error)
        raised = error.__cause__ if isinstance(error, StudentFailure) else error
        wants_code = item.config.getoption("tbstyle") not in ("no", "line")
        code = code_at_error(raised.__traceback__) if raised and wants_code else ""
        if isinstance(error, StudentFailure):
            mistake = error.mistake.name if error.mistake else ""
            return CourseRepr(str(error), error.headline, place or _test_place(item), code, mistake)
        if place and isinstance(error, Exception):
            text = f"{place.function} raised {type(error).__name__}: {error}\nWhere:      {place}"
            return CourseRepr(text, f"{type(error).__name__}: {error}", place, code)
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        module = self._module_of(collector.nodeid) if isinstance(collector, pytest.Module) else None
        if module and (problem := self.problem_of(module)):
            changed: Any = collector
            changed.collect = partial(_raise, problem)
        # The report holds what was raised.
        with suppress(OverLimit), Guard(is_student_file, LOADING).watch():
            try:
                report = yield
            except SystemExit as ended:
                # pytest itself would end here.
                if explained := _import_report(ended):
                    return _with_fields(pytest.CollectReport(collector.nodeid, "failed", explained, []))
                raise
        call: pytest.CallInfo[Any] | None = getattr(report, "call", None)
        if report.failed and call and call.excinfo:
            # pytest wraps errors that it expects while importing a test file, such as SyntaxError.
            error = call.excinfo.value.__cause__ or call.excinfo.value
            report.longrepr = _import_report(error) or report.longrepr
        return _with_fields(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            _read_fields(report)
            self._failed(report)
            self._write({"not loaded": report.longreprtext})

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._write({"collected": Counter(group_of(item.nodeid) for item in session.items)})

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write({"started": nodeid})

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        _read_fields(report)
        self.ran_student_tests = self.ran_student_tests or "student" in report.keywords
        if report.when == "call" or not report.passed:
            history.passes.setdefault(group_of(report.nodeid), True)
            if report.failed:
                history.passes[group_of(report.nodeid)] = False
                self._failed(report)
            self._write(vars(_result_of(report)))

    def _write(self, record: dict[str, Any]) -> None:
        if self.report_file:
            print(json.dumps(record), file=self.report_file, flush=True)


def _result_of(report: pytest.TestReport) -> CaseResult:
    # Other plugins have properties too.
    properties = {name: str(value) for name, value in report.user_properties if name in ("error", "mistake")}
    result = CaseResult(report.nodeid, report.outcome, round(report.duration, 3), **properties)
    if not report.failed:
        return result
    printed = "\n".join(line[:MAX_LINE] for line in report.capstdout.splitlines()[:MAX_LINES])
    shown = report.longrepr
    message, code = (shown.text, shown.code) if isinstance(shown, CourseRepr) else (report.longreprtext, "")
    return replace(result, message=message, code=code, printed=printed)


class CourseRepr(TerminalRepr):
    """What pytest prints for a failed student test: the code that failed, then the report.

    `mistake` is the name of the mistake that was recognized, or "".
    """

    def __init__(self, text: str, headline: str, place: Place, code: str = "", mistake: str = "") -> None:
        self.fields = (text, headline, tuple(place), code, mistake)
        """What it is made of, as data that pytest-xdist can send to another process."""
        self.text = text
        self.place = place
        self.code = code
        self.mistake = mistake
        self.reprcrash = ReprFileLocation(display_path(place.file), place.line, headline)

    def toterminal(self, tw: TerminalWriter) -> None:
        # What is stored or sent on keeps its lines whole.
        self.write(tw, tw.fullwidth if tw.hasmarkup else None)

    def write(self, tw: TerminalWriter, width: int | None, room: int | None = None, printed: str = "") -> None:
        """Write the code, the report, and what the code printed.

        Args:
            tw: where to write.
            width: wrap lines that are longer; None leaves them whole.
            room: number of rows; where the whole does not fit, a shorter report is written.
            printed: what the code printed.
        """
        rows = report_rows(self.text, self.code, printed, width=width)
        if room is not None and len(rows) > room:
            rows = report_rows(self.text, self.code, printed, width=width, brief=True)
        for label, text, is_mistake in rows:
            tw.write(label, bold=True)
            tw.line(text, red=is_mistake)


def _with_fields(report: AnyReport) -> AnyReport:
    """The report with the fields of what it shows, from which another process makes the same."""
    if isinstance(report.longrepr, CourseRepr):
        vars(report)["course"] = report.longrepr.fields
    return report


def _read_fields(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make what the report shows, which is mere text in a report from another process, what it was there."""
    if fields := vars(report).get("course"):
        text, headline, place, *others = fields
        report.longrepr = CourseRepr(text, headline, Place(*place), *others)


def _test_place(item: pytest.Item) -> Place:
    file, line, name = item.reportinfo()
    return Place(name, str(file), (line or 0) + 1)


def _raise(error: BaseException) -> None:
    raise error


def _import_report(error: BaseException) -> CourseRepr | None:
    """The report for what keeps an exercise file from being imported or used; None for errors of other files."""
    if isinstance(error, SourceError):
        return CourseRepr(error.sentence, error.sentence, Place("", str(error.path), error.line), error.code)
    inner = place_of(error.__traceback__)
    if inner is None:
        return None
    headline = f"{type(error).__name__}: {error}"
    if isinstance(error, OverLimit):
        text = f"{inner}: code that runs when the file is imported did not end within {error.seconds:.0f} seconds."
        return CourseRepr(text, headline, inner, code_at_error(error.__traceback__))
    return CourseRepr(f"{inner} raised {headline}", headline, inner, code_at_error(error.__traceback__))
