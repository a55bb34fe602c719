"""Runs the course's tests on proxies for one student's code, and records the outcomes: the examiner's process.

    python -m g2c.grading.examiner    reads a pickled `Task` from standard input

It never imports a student's file; boundary.py has it run in the pupil's process.
"""

import json
import os
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase

from g2c.common.paths import REPOSITORY
from g2c.course.exercise_file import check_file
from g2c.course.exercises import Exercise, Module, chosen_modules
from g2c.course.source import EmptyFileError, SourceError, key_code
from g2c.course.testing.plugin import CoursePlugin
from g2c.course.testing.record import TestRecord, as_json
from g2c.course.testing.report import Report
from g2c.course.testing.suite_process import run_suites
from g2c.grading.boundary import Student, end_processes, make_proxies
from g2c.grading.pupil import NotDefined
from g2c.grading.records import Note, Task, plain_line, plain_text

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
        self, report: TextIO, student: Student, task: Task, with_key: Sequence[str] = (), hidden: bool = False
    ) -> None:
        super().__init__(report)
        self.student = student
        places = [REPOSITORY, task.folder, *([task.hidden.parent] if task.hidden else [])]
        self.folders = [f"{place}{os.sep}" for place in places]
        """Left out of texts, because they tell a student nothing."""
        student.forget()
        student.on_note = lambda note, forgiven: None if with_key else self.write(as_json(Note(note, hidden, forgiven)))
        if with_key:
            self.write({"with_key": with_key})

    def watched(self) -> AbstractContextManager[None]:
        """Limit nothing, because no student's code runs in this process."""
        return nullcontext()

    def problem_of(self, module: Module) -> None:
        """Find nothing, because the checkout's own files are not tested."""

    def failed(self, exercise: Exercise) -> bool:
        """Tell whether a test of an exercise has failed."""
        return not all(self.history.passes.get(group, True) for group in exercise.groups)

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
        super().pytest_collection_finish(session)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        super().pytest_runtest_logstart(nodeid)
        self.student.used = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        try:
            return (yield from super().pytest_runtest_makereport(item, call))
        except Exception as error:
            # The student's code chooses the attributes of objects that come back, so their `repr` may fail.
            text = f"The test failed, and what came back cannot be shown ({type(error).__name__})."
            return pytest.TestReport(item.nodeid, item.location, {}, "failed", text, cast(Any, call.when))

    def write(self, line: dict[str, Any]) -> None:
        super().write(self._cleaned(line))

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


def examine(task: Task) -> None:
    """Run the tests and write the records: the course's, the instructor's, and again with the answer key's code."""
    graded = chosen_modules(task.modules)
    with open(task.report, "w", encoding="utf-8") as report, closing(Student(task.course, task.wall)) as student:
        new_plugin = partial(RecordingPlugin, report, student, task)
        for module in graded:
            for name, proxy in make_proxies(module, student).items():
                setattr(import_module(module.package), name, proxy)
        codes: list[int] = []
        first_runs: dict[str, RecordingPlugin] = {}
        """The modules that can be imported, by ID."""
        for module in graded if not task.only_hidden else ():
            plugin = new_plugin()
            codes.append(run_suites([str(REPOSITORY / module.suite), *ARGUMENTS], plugin))
            if module.import_name not in student.import_errors:
                first_runs[module.id] = plugin
                _note_problem(module, plugin, task.course / module.exercise_path)
        if task.hidden:
            # Others may write to the folders around it, so pytest takes no settings or conftest.py from there.
            root = [f"--{option}={task.hidden.parent}" for option in ("rootdir", "confcutdir")]
            codes.append(run_suites([str(task.hidden), *root, *ARGUMENTS], new_plugin(hidden=True)))
        print(json.dumps({"finished": all(code in FINISHED for code in codes)}), file=report, flush=True)
        for module in graded:
            if module.id in first_runs:
                _carry_forward(module, first_runs[module.id], new_plugin, task.course / module.exercise_path)


def _note_problem(module: Module, plugin: RecordingPlugin, file: Path) -> None:
    """Note why a file that can be imported cannot be tested, such as a renamed function."""
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


def _carry_forward(
    module: Module, first: RecordingPlugin, new_plugin: Callable[..., RecordingPlugin], file: Path
) -> None:
    """Run the tests of each exercise that failed once more, with the answer key's code for those above it that are
    wrong: that failed, and then failed with the answer key's code for those above them, too.

    So a mistake in one exercise costs no points of those that call it, and no right exercise is replaced.
    """
    own = file.read_bytes()
    wrong: list[Exercise] = []
    for exercise in filter(first.failed, module.exercises):
        again = first
        if wrong:
            file.write_bytes(own + f"\n\n\n{key_code(module, wrong)}".encode())
            # The student's code may have changed lists in the tests' parameters in place, so the suite is loaded again.
            suite = str(REPOSITORY / module.suite)
            for name in [name for name, loaded in sys.modules.items() if getattr(loaded, "__file__", None) == suite]:
                del sys.modules[name]
            again = new_plugin([each.name for each in wrong])
            run_suites([*(f"{suite}::{group}" for group in exercise.groups), *ARGUMENTS], again)
        if again.failed(exercise):
            wrong.append(exercise)
    file.write_bytes(own)


def _end_with_parent(stream: BinaryIO) -> None:
    """End this process and the pupil's when `g2c grade` closes the stream, as it does when it ends."""
    stream.read()
    end_processes(os.getpid())


def main() -> None:
    """Run the task on standard input."""
    stream = os.fdopen(os.dup(0), "rb")  # pytest puts another one in the place of standard input.
    task: Task = pickle.load(stream)
    threading.Thread(target=_end_with_parent, args=[stream], daemon=True).start()
    os.chdir(task.folder)
    os.environ |= {"HOME": str(task.folder), "TMPDIR": str(task.folder)}
    tempfile.tempdir = None
    # Every student gets the same examples. The first one that fails is enough for a mark, and none fails by its time.
    phases, checks = (Phase.explicit, Phase.generate), list(HealthCheck)
    profile = hypothesis.settings(phases=phases, derandomize=True, database=None, suppress_health_check=checks)
    hypothesis.settings.register_profile("grading", profile)
    hypothesis.settings.load_profile("grading")
    examine(task)
    # Without waiting for what libraries have started.
    os._exit(0)


if __name__ == "__main__":
    main()
