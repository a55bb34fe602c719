"""The test runner: runs the course's tests on proxies for one student's code, and records the outcomes.

One process for a class loads what every run needs, and forks for each submission. It takes numbered tasks from
`g2c grade` and sends back the number of each one whose run has ended. A task is a dictionary:

    report     file for the records: a line of JSON each
    seconds    time limit of the run, by the clock
    modules    IDs of the modules that are graded; the others use the answer key
    explains   whether failures are explained
    hidden     folder of the instructor's tests, or None
    sandbox    what the student's code may use, a `SandboxSettings`
"""

import gc
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, cast

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, strategies

from g2c.common.answer_key import VARIABLE
from g2c.common.paths import REPOSITORY
from g2c.course import teaching
from g2c.course.diagnosis import bank, diagnose
from g2c.course.exercise_file import check_file
from g2c.course.exercises import Module, modules
from g2c.course.source import SourceError
from g2c.course.testing.calls import Call, Mistake
from g2c.course.testing.plugin import PLUGIN
from g2c.course.testing.runs import group_of
from g2c.course.testing.suite_process import run_suites
from g2c.grading.constants import key_code
from g2c.grading.plain_text import plain_line, plain_text
from g2c.grading.processes import RUNNER, die_with_parent, end_processes, limit_this_process
from g2c.grading.proxies import make_proxies
from g2c.grading.remote import Student

MAX_MESSAGE = 4000
MAX_PARSED = 200_000
"""Bytes of a file that is looked at for renamed functions. It has been imported, so parsing it takes no long time."""
GUESSES = ("Mistake:", "You may have thought:")
"""Lines of a failure's report that say where the failure may come from."""
ARGUMENTS = ("--quiet", "--tb=line", "--continue-on-collection-errors", "-m", "not in_process")
"""For pytest. Where a file of hidden tests calls code that does not return, the other tests still run. Tests that look
into the student's code while it runs are left out: that code is in another process."""
FINISHED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


class RecordingPlugin:
    """The pytest plugin that reports which tests there are and how each ended.

    Args:
        report: the file for the records.
        student: whose code the tests call. A run begins with a process that has seen nothing.
        task: see above.
        with_key: names of the exercises for which the answer key's code is used in this run.
        hidden: whether the tests are the instructor's own.
    """

    def __init__(
        self,
        report: IO[str],
        student: Student,
        task: dict[str, Any],
        *,
        with_key: Sequence[str] = (),
        hidden: bool = False,
    ) -> None:
        self.report = report
        self.student = student
        self.explains: bool = task["explains"]
        self.with_key = with_key
        self.hidden = hidden
        self.failed: set[tuple[str, str]] = set()
        """File and test group of the tests that failed."""
        self.group = ("", "")
        """Those of the test that runs."""
        self.named: set[tuple[str, str]] = set()
        """Those in which a mistake was recognized."""
        places = [REPOSITORY, task["report"].parent, *([task["hidden"].parent] if task["hidden"] else [])]
        self.folders = [f"{place}{os.sep}" for place in places]
        """What is left out of messages: where the course and the run are, which tells a student nothing."""
        changed: Any = teaching
        changed.diagnose = self._diagnose
        student.forget()
        student.on_note = self._write_note

    def write(self, record: dict[str, Any]) -> None:
        print(json.dumps(record), file=self.report, flush=True)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        plugin: Any = session.config.pluginmanager.get_plugin(PLUGIN)
        # No student's code runs in this process, and g2c.grading.remote has the limits.
        plugin.guard = SimpleNamespace(watch=nullcontext)
        plugin.explains = self.explains
        plugin.problem_of = lambda module: None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        # A file of hidden tests may have called the student's code while it was imported.
        self.student.forget()
        for item in session.items if not self.with_key else ():
            file, group = _group_of(item.nodeid)
            self.write(
                {
                    "collected": item.nodeid,
                    "group": group,
                    "file": file,
                    "points": _points_of(item),
                    "core": item.get_closest_marker("core") is not None,
                }
            )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write({"unreadable": report.nodeid, "message": report.longreprtext[-MAX_MESSAGE:]})

    def _diagnose(self, call: Call) -> Mistake | None:
        """The mistake that explains a failure; one for each test group, since replaying the mistake bank takes long.

        Nothing where the file cannot be imported: a note says why, once.
        """
        if self.group in self.named or (call.module and call.module.import_name in self.student.import_errors):
            return None
        mistake = diagnose(call)
        if mistake:
            self.named.add(self.group)
        return mistake

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.group = _group_of(item.nodeid)
        self.student.begin_test()
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
        if report.failed:
            self.failed.add(_group_of(report.nodeid))
        if report.when == "call" or not report.passed:
            properties = dict(report.user_properties)
            text = report.longreprtext[:MAX_MESSAGE] if report.failed and not self.with_key else ""
            self.write(
                {
                    "test": report.nodeid,
                    "outcome": report.outcome,
                    "mistake": plain_line(str(mistake)) if (mistake := properties.get("mistake")) else None,
                    "message": self._message(text),
                    "with_key": list(self.with_key),
                }
            )

    def _message(self, text: str) -> str:
        """A failure's report as it is for a mark: without guesses. `g2c grade` names the mistakes that are sure."""
        for folder in self.folders:
            text = text.replace(folder, "")
        return plain_text("\n".join(line for line in text.splitlines() if not line.startswith(GUESSES)))

    def _write_note(self, note: str) -> None:
        if not self.with_key:
            self.write({"note": note, "hidden": self.hidden})


def _points_of(item: pytest.Item) -> tuple[str, float] | None:
    """The node that has the marker `points`, and its points: a class shares them among its tests."""
    found = next(item.iter_markers_with_node("points"), None)
    return (found[0].nodeid, found[1].args[0]) if found else None


def _group_of(node: str) -> tuple[str, str]:
    """File and test group of a test."""
    return node.partition("::")[0], group_of(node)


def run_tests(task: dict[str, Any]) -> None:
    """Run the tests and write the records: the course's, the instructor's, and again with the answer key's code."""
    graded = [module for module in modules().values() if module.id in task["modules"]]
    tests = [str(REPOSITORY / module.suite) for module in graded]
    with open(task["report"], "w", encoding="utf-8") as report, Student(task["sandbox"]) as student:
        for module in graded:
            for name, proxy in make_proxies(module, student).items():
                setattr(import_module(module.package), name, proxy)
        first = RecordingPlugin(report, student, task)
        codes = [run_suites([*tests, *ARGUMENTS], [first])]
        importable = [module for module in graded if module.import_name not in student.import_errors]
        if task["hidden"]:
            hidden = RecordingPlugin(report, student, task, hidden=True)
            # Neither its settings nor a conftest.py come from the folders around it, where others may write.
            root = [f"--{option}={task['hidden'].parent}" for option in ("rootdir", "confcutdir")]
            codes.append(run_suites([str(task["hidden"]), *root, *ARGUMENTS], [hidden]))
        first.write({"finished": all(code in FINISHED for code in codes)})
        for module in importable if task["explains"] else ():
            _note_problem(module, first)
            _run_with_key(module, first, task)


def _note_problem(module: Module, plugin: RecordingPlugin) -> None:
    """Note what keeps a file, which can be imported, from being tested, such as a function under another name."""
    file = plugin.student.settings.course / module.exercise_path
    with suppress(OSError, RecursionError, MemoryError):
        try:
            if file.stat().st_size < MAX_PARSED:
                check_file(module, file)
        except SourceError as problem:
            # Of an empty file it has been said what it does not define.
            if not problem.what.startswith("is empty"):
                where = f"{module.exercise_path}, line {problem.line}" if problem.line else module.exercise_path
                plugin.write({"note": plain_line(f"{where} {problem.what}"), "hidden": False})


def _run_with_key(module: Module, first: RecordingPlugin, task: dict[str, Any]) -> None:
    """Run the tests of each exercise that failed once more, with the answer key's code for those above it that failed.

    So a mistake in one exercise costs no points of those that call it. Two that only call each other are not both
    rescued. The answer key's code for an exercise is in no process that this exercise is marked by.
    """
    student = first.student
    failed = [each for each in module.exercises if any((module.suite, group) in first.failed for group in each.groups)]
    file = student.settings.course / module.exercise_path
    own = file.read_bytes()
    for place, exercise in enumerate(failed[1:], 1):
        above = failed[:place]
        file.write_bytes(own + f"\n\n{key_code(module, above)}\n".encode())
        # Without the lists in its parameters that the student's code has changed in place.
        _forget_suites([module])
        plugin = RecordingPlugin(first.report, student, task, with_key=[each.name for each in above])
        nodes = [f"{REPOSITORY / module.suite}::{group}" for group in exercise.groups]
        run_suites([*nodes, *ARGUMENTS], [plugin])
    file.write_bytes(own)


def _forget_suites(suites: Sequence[Module]) -> None:
    """Have the next run import the suites of these modules anew."""
    files = {str(REPOSITORY / module.suite) for module in suites}
    for name in [name for name, loaded in sys.modules.items() if getattr(loaded, "__file__", None) in files]:
        del sys.modules[name]


# --- one process for a class ------------------------------------------------------------------------------------------


def main(connection: Connection) -> None:
    """Take tasks until `g2c grade` closes the connection."""
    limit_this_process(RUNNER)
    runs: dict[int, tuple[ForkProcess, float]] = {}
    """Number of the task -> the process of its run, and when it must have ended."""
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
            _warm_up(tuple(task["modules"]))
            process = multiprocessing.get_context("fork").Process(target=_run, args=[task])
            process.start()
            runs[number] = process, time.monotonic() + task["seconds"]
        for number, (process, deadline) in list(runs.items()):
            if process.sentinel in ready or time.monotonic() > deadline:
                end_processes(cast(int, process.pid))
                del runs[number]
                connection.send(number)


@cache
def _warm_up(module_ids: tuple[str, ...]) -> None:
    """Load what every run needs, so that it has it when it is forked, and has the same, whoever was graded before."""
    os.environ[VARIABLE] = ",".join(module_id for module_id in modules() if module_id not in module_ids)
    # What pytest makes of the suites is kept for the next submission, and not in the checkout.
    sys.dont_write_bytecode, sys.pycache_prefix = False, os.getcwd()
    # For a mark, the first failing example is enough; the search for the smallest one takes long.
    # Every student gets the same examples. No test fails because they take long, or because some run again.
    hypothesis.settings.register_profile(
        "grading",
        phases=(Phase.explicit, Phase.generate),
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
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


def _run(task: dict[str, Any]) -> None:
    """The life of a forked process."""
    die_with_parent()
    folder = Path(task["report"]).parent
    os.chdir(folder)
    os.environ |= {"HOME": str(folder), "TMPDIR": str(folder)}
    tempfile.tempdir = None
    run_tests(task)
    os._exit(0)
