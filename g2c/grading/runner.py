"""Runs the course's tests on proxies for each student's code, and records the outcomes: the test runner.

One process for a class loads what every run needs, and forks for each submission. It receives numbered tasks from
`g2c grade`, and sends back the number of each task whose run has ended.
"""

import errno
import gc
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, TextIO, cast

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, strategies

from g2c.common.answer_key import VARIABLE
from g2c.common.paths import REPOSITORY
from g2c.course.diagnosis import bank
from g2c.course.exercise_file import check_file
from g2c.course.exercises import Module, modules
from g2c.course.source import EmptyFileError, SourceError
from g2c.course.testing.limits import OverLimit
from g2c.course.testing.observation import Observation
from g2c.course.testing.plugin import CoursePlugin
from g2c.course.testing.record import TestRecord, as_json
from g2c.course.testing.report import Mistake, Report
from g2c.course.testing.suite_process import run_suites
from g2c.grading import processes
from g2c.grading.processes import FAULTS, KILLED, MachineFault, die_with_parent, end_processes
from g2c.grading.protocol import NotDefined
from g2c.grading.records import GradedRecord, Note, Task, plain_line, plain_text
from g2c.grading.remote import Student, lend, make_proxies

MAX_TEXT = 4000
MAX_PARSED = 200_000
"""Bytes of a file that is searched for renamed functions. It has been imported, so it can be parsed quickly."""
ARGUMENTS = ("--quiet", "--tb=line", "--continue-on-collection-errors", "-m", "not in_process")
"""For pytest. If a file of hidden tests cannot be imported, the other tests still run. Tests that observe the student's
code while it runs are left out, because that code is in another process."""
FINISHED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


class RecordingPlugin(CoursePlugin):
    """Extends the course's pytest plugin for a run on a submission."""

    def __init__(
        self, report: TextIO | None, student: Student, task: Task, with_key: Sequence[str] = (), hidden: bool = False
    ) -> None:
        super().__init__(report, explains=task.explains)
        self.student = student
        self.with_key = tuple(with_key)
        self.group = ""
        """The file and test group of the running test, "tests/test_tokenizer.py::TestMerge"."""
        self.failed: set[str] = set()
        self.named: set[str] = set()
        """Groups with a failed test, and with a recognized mistake."""
        places = [REPOSITORY, task.report.parent, *([task.hidden.parent] if task.hidden else [])]
        self.folders = [f"{place}{os.sep}" for place in places]
        """Left out of texts, because they tell a student nothing."""
        student.forget()
        student.on_note = lambda note, forgiven: None if with_key else self.write(as_json(Note(note, hidden, forgiven)))

    def watched(self) -> AbstractContextManager[None]:
        """Limit nothing, because no student's code runs in this process."""
        return nullcontext()

    def problem_of(self, module: Module) -> None:
        """Find nothing, because the checkout's own files are not tested."""

    def diagnose(self, seen: Observation) -> Mistake | None:
        """Name a mistake once for each test group, since replaying the mistake bank takes long.

        None where the file cannot be imported, which a note says.
        """
        module, is_stopped = seen.call.module, isinstance(seen.error, OverLimit)
        if not is_stopped and (self.group in self.named or module and module.import_name in self.student.import_errors):
            return None
        mistake = super().diagnose(seen)
        if mistake and not is_stopped:
            self.named.add(self.group)
        return mistake

    def _explained(self, node_id: str, error: BaseException, *, is_import: bool = False) -> TestRecord | None:
        """Say of a function that is missing that it is; a note names its line if it was left out."""
        record = super()._explained(node_id, error, is_import=is_import)
        if record and record.place and record.error == NotDefined.__name__:
            sentence = f"The code does not define {record.place.function}."
            record = replace(record, report=Report(sentence, sentence))
        return record

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        # Importing a file of hidden tests may have called the student's code.
        self.student.forget()
        if not self.with_key:
            super().pytest_collection_finish(session)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        super().pytest_runtest_logstart(nodeid)
        self.group = "::".join(nodeid.split("::")[:2])
        self.student.used = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        error = call.excinfo and call.excinfo.value
        while error:
            if isinstance(error, MachineFault) or isinstance(error, OSError) and error.errno in FAULTS:
                _end_run(error)
            error = error.__cause__ or error.__context__
        try:
            return (yield from super().pytest_runtest_makereport(item, call))
        except Exception as error:
            # The student's code chooses the attributes of objects that come back, so their `repr` may fail.
            text = f"The test failed, and what came back cannot be shown ({type(error).__name__})."
            return pytest.TestReport(item.nodeid, item.location, {}, "failed", text, cast(Any, call.when))

    def write_record(self, record: TestRecord) -> None:
        if record.outcome == "failed":
            self.failed.add(self.group)
        # A report on a run with the answer key's code could show what the student's code has learned of it.
        report = Report(mistake=record.report.mistake) if record.report and self.with_key else record.report
        noted = record.error == ImportError.__name__ and bool(self.student.import_errors)
        shown = replace(record, report=report, code=(), printed="")
        self.write(as_json(GradedRecord(**vars(shown), with_key=self.with_key, noted=noted)))

    def write(self, line: dict[str, Any]) -> None:
        try:
            super().write(self._cleaned(line))
        except OSError as fault:
            _end_run(fault)

    def _cleaned(self, value: Any) -> Any:
        """Cut the texts in a line of the run, and clean them."""
        if isinstance(value, str):
            value = value[:MAX_TEXT]
            for folder in self.folders:
                value = value.replace(folder, "")
            return plain_text(value)
        if isinstance(value, dict):
            return {name: self._cleaned(item) for name, item in value.items()}
        return [*map(self._cleaned, value)] if isinstance(value, (list, tuple)) else value


def run_tests(task: Task) -> None:
    """Run the tests and write the records: the course's, the instructor's, and again with the answer key's code."""
    graded = [module for module in modules().values() if module.id in task.modules]
    tests = [str(REPOSITORY / module.suite) for module in graded]
    with open(task.report, "w", encoding="utf-8") as report, closing(Student(task.sandbox)) as student:
        for module in graded:
            for name, proxy in make_proxies(module, student).items():
                setattr(import_module(module.package), name, proxy)
        first = RecordingPlugin(report, student, task)
        codes = [run_suites([*tests, *ARGUMENTS], first)]
        importable = [module for module in graded if module.import_name not in student.import_errors]
        if task.hidden:
            hidden = RecordingPlugin(report, student, task, hidden=True)
            # Others may write to the folders around it, so pytest takes no settings or conftest.py from there.
            root = [f"--{option}={task.hidden.parent}" for option in ("rootdir", "confcutdir")]
            codes.append(run_suites([str(task.hidden), *root, *ARGUMENTS], hidden))
        first.write({"finished": all(code in FINISHED for code in codes)})
        for module in importable if task.explains else ():
            _note_problem(module, first)
            _run_with_key(module, first, task)


def _note_problem(module: Module, plugin: RecordingPlugin) -> None:
    """Note why a file that can be imported cannot be tested, such as a renamed function."""
    file = plugin.student.settings.course / module.exercise_path
    with suppress(OSError, RecursionError, MemoryError):
        try:
            if file.stat().st_size < MAX_PARSED:
                check_file(module, file)
        except SourceError as problem:
            place = replace(problem.place, file=module.exercise_path)
            where = str(place) if place.line else place.file
            # Notes on the import name what is not defined, and what is not valid Python.
            if not isinstance(problem, EmptyFileError) and not isinstance(problem.__context__, SyntaxError):
                plugin.write(as_json(Note(plain_line(f"{where} {problem.what}"))))


def _run_with_key(module: Module, first: RecordingPlugin, task: Task) -> None:
    """Run the tests of each exercise that failed once more, with the answer key's code for those above it that failed.

    So a mistake in one exercise costs no points of those that call it.
    """
    student = first.student
    failed = [each for each in module.exercises if first.failed & {f"{module.suite}::{group}" for group in each.groups}]
    for place, exercise in enumerate(failed[1:], 1):
        # The student's code may have changed lists in the tests' parameters in place.
        _forget_suites([module])
        with closing(Student(task.key)) as key:
            lend(key, student, module, failed[:place])
            plugin = RecordingPlugin(first.report_file, student, task, with_key=[each.name for each in failed[:place]])
            nodes = [f"{REPOSITORY / module.suite}::{group}" for group in exercise.groups]
            run_suites([*nodes, *ARGUMENTS], plugin)
    student.lent = {}


def _forget_suites(suites: Sequence[Module]) -> None:
    """Have the next run import these modules' suites again."""
    files = {str(REPOSITORY / module.suite) for module in suites}
    for name in [name for name, loaded in sys.modules.items() if getattr(loaded, "__file__", None) in files]:
        del sys.modules[name]


# --- one process for a class ------------------------------------------------------------------------------------------


def main(connection: Connection) -> None:
    """Take tasks until `g2c grade` closes the connection. Send back (number, fault of the machine or "") for each."""
    processes.limit_this_process(processes.RUNNER)
    runs: dict[int, tuple[ForkProcess, float]] = {}
    """Number of the task -> the process of its run, and its deadline."""
    while True:
        left = [max(deadline - time.monotonic(), 0) for _, deadline in runs.values()]
        ready = wait([connection, *(process.sentinel for process, _ in runs.values())], min(left, default=None))
        if connection in ready:
            try:
                number, task = connection.recv()
            except (EOFError, OSError):
                for process, _ in runs.values():
                    end_processes(cast(int, process.pid))
                os._exit(0)
            try:
                _warm_up(task.modules)
                process = multiprocessing.get_context("fork").Process(target=_run, args=[task])
                process.start()
                runs[number] = process, time.monotonic() + task.seconds
            except OSError as fault:
                connection.send((number, str(fault)))
        for number, (process, deadline) in list(runs.items()):
            if process.sentinel in ready:
                process.join()
                code = process.exitcode or 0
                said = os.strerror(code) if 0 < code < KILLED else "one of its processes was killed or failed"
                connection.send((number, said if code else ""))
            elif time.monotonic() > deadline:
                end_processes(cast(int, process.pid))
                connection.send((number, ""))
            else:
                continue
            del runs[number]


@cache
def _warm_up(module_ids: tuple[str, ...]) -> None:
    """Load everything that runs need before they are forked, so that no run depends on earlier ones."""
    os.environ[VARIABLE] = ",".join(module_id for module_id in modules() if module_id not in module_ids)
    # pytest's compiled suites are kept for the next submission, and not in the checkout.
    sys.dont_write_bytecode, sys.pycache_prefix = False, os.getcwd()
    # Every student gets the same examples. The first one that fails is enough for a mark, and none fails by its time.
    phases, checks = (Phase.explicit, Phase.generate), list(HealthCheck)
    profile = hypothesis.settings(phases=phases, derandomize=True, database=None, suppress_health_check=checks)
    hypothesis.settings.register_profile("grading", profile)
    hypothesis.settings.load_profile("grading")
    graded = [modules()[module_id] for module_id in module_ids]
    for module in graded:
        bank.entries(module.id)
        import_module(module.key_import_name)
    run_suites([*(str(REPOSITORY / module.suite) for module in graded), "--collect-only", *ARGUMENTS])
    # A suite takes its names from the student's package when it is imported.
    _forget_suites(graded)
    hypothesis.given(strategies.text(), strategies.lists(strategies.integers()))(lambda text, numbers: None)()
    gc.freeze()


def _run(task: Task) -> None:
    """Run a task in a forked process, which then ends."""
    die_with_parent()
    folder = task.report.parent
    os.chdir(folder)
    os.environ |= {"HOME": str(folder), "TMPDIR": str(folder)}
    tempfile.tempdir = None
    try:
        run_tests(task)
    except (Exception, MachineFault) as error:
        _end_run(error)
    os._exit(0)


def _end_run(error: BaseException) -> None:
    """End this process, with the error's number as exit code, since nothing may be left for a message."""
    os._exit(errno.ENOMEM if isinstance(error, MemoryError) else getattr(error, "errno", None) or KILLED)
