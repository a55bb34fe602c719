"""Runs the course's tests on proxies for one student's code, and records the outcomes: the examiner's process.

    python -m coach.grading.examiner    reads pickled tasks, and writes a byte when one is done: the exit code

It loads the suites once, and does each task in a fork of itself, so that no task sees what another one has changed. It
never imports a student's file; boundary.py has it run in the pupil's process.
"""

import io
import json
import os
import pickle
import tempfile
import threading
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, strategies

from coach.common.course_file import course_file
from coach.common.paths import REPOSITORY
from coach.exercise_file import check_file
from coach.exercises import Module, module_of, modules
from coach.grading.boundary import MAX_PARSED, Student, end_processes, make_proxies
from coach.grading.pupil import NotDefined
from coach.grading.records import Note, Task, plain_line, plain_text
from coach.source import EmptyFileError, SourceError
from coach.testing.plugin import CoursePlugin
from coach.testing.record import TestRecord, as_json
from coach.testing.report import Report
from coach.testing.suite_process import run_suites

MAX_TEXT = 4000
ARGUMENTS = ("--quiet", "--tb=line", "--continue-on-collection-errors", "-m", "not in_process")
"""For pytest. If a file of hidden tests cannot be imported, the other tests still run. Tests that observe the student's
code while it runs are left out, because that code is in another process."""
FINISHED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


class RecordingPlugin(CoursePlugin):
    """Extends the course's pytest plugin for a run on a submission."""

    problem_of = staticmethod(lambda module: None)
    """Nothing, because the checkout's own files are not tested."""

    def __init__(self, report: TextIO, student: Student, task: Task, hidden: bool = False) -> None:
        super().__init__(report)
        self.student = student
        places = [REPOSITORY, task.folder, task.course, *([task.hidden.parent] if task.hidden else [])]
        self.folders = [f"{place}{os.sep}" for place in places]
        """Left out of texts, because they tell a student nothing."""
        student.forget()
        student.on_note = lambda note, forgiven: self.write(as_json(Note(note, hidden, forgiven)))

    def watched(self) -> AbstractContextManager[None]:
        """Limit nothing, because no student's code runs in this process."""
        return nullcontext()

    def _explained(self, node_id: str, error: BaseException, *, is_import: bool = False) -> TestRecord | None:
        """Say which function is missing; a note names its line if it was left out."""
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


def loaded(task: Task) -> Student:
    """Load the suites of a task, with proxies in place of the exercises, whose student has no process yet."""
    # Every student gets the same examples. The first one that fails is enough for a mark, and none fails by its time.
    phases, checks = (Phase.explicit, Phase.generate), list(HealthCheck)
    profile = hypothesis.settings(phases=phases, derandomize=True, database=None, suppress_health_check=checks)
    hypothesis.settings.register_profile("grading", profile)
    hypothesis.settings.load_profile("grading")
    for name in course_file().get("grading", {}).get("import_first", ()):
        import_module(name)  # Calls in the suites would import these, and numpy, in every fork.
    student = Student(task.course, task.wall)
    for module in map(modules().__getitem__, task.modules):
        for name, proxy in make_proxies(module, student).items():
            setattr(import_module(module.package), name, proxy)
        run_suites([module.suite, "--collect-only"], RecordingPlugin(io.StringIO(), student, task))
        if b"hypothesis" in module.suite_file.read_bytes():
            # Its tables of characters take seconds.
            hypothesis.given(strategies.characters(codec="utf-8"))(lambda character: None)()
    return student


def examine(task: Task, student: Student) -> None:
    """Run the tests and write the records: first the course's, then the instructor's."""
    student.course = task.course
    with open(task.report, "w", encoding="utf-8") as report, closing(student):
        codes: list[int] = []
        for tests in task.runs:
            plugin = RecordingPlugin(report, student, task)
            codes.append(run_suites([*tests, *ARGUMENTS], plugin))
            module = module_of(tests[0])
            if module and module.import_name not in {*student.import_errors, *student.repaired}:
                _note_problem(module, plugin, task.course / module.exercise_path)
        if task.hidden:
            # Others may write to the folders around it, so pytest takes no settings or conftest.py from there.
            hidden = os.path.relpath(task.hidden, task.folder)
            root = [f"--{option}={os.path.dirname(hidden)}" for option in ("rootdir", "confcutdir")]
            plugin = RecordingPlugin(report, student, task, hidden=True)
            codes.append(run_suites([hidden, *root, *ARGUMENTS], plugin, task.folder))
        print(json.dumps({"finished": all(code in FINISHED for code in codes)}), file=report)


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


def _end_with_parent(stream: BinaryIO) -> None:
    """End this process and the pupil's when `g2c grade` closes the stream, as it does when it ends."""
    stream.read()
    end_processes(os.getpid())


def _do(task: Task, student: Student, stream: BinaryIO) -> NoReturn:
    """Do a task, and end this process without waiting for what libraries have started."""
    try:
        threading.Thread(target=_end_with_parent, args=[stream], daemon=True).start()
        os.chdir(task.folder)
        os.environ |= {"HOME": str(task.folder), "TMPDIR": str(task.folder)}
        tempfile.tempdir = None
        examine(task, student)
        os._exit(0)
    finally:
        os._exit(1)


def main() -> None:
    """Do the tasks on standard input, each in a fork of this process, until it is closed."""
    # pytest puts others in the place of standard input and output.
    stream, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    student: Student | None = None
    with suppress(EOFError):
        while True:
            task: Task = pickle.load(stream)
            student = student or loaded(task)
            process = os.fork()
            if process == 0:
                _do(task, student, stream)
            _, status = os.waitpid(process, 0)
            answers.write(bytes([os.waitstatus_to_exitcode(status) % 256]))


if __name__ == "__main__":
    main()
