"""Grade a class: run the tests on each submission, a few at a time, and turn the records into grades."""

import contextlib
import pickle
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY, data_folder
from g2c.corpus.workers import cores
from g2c.course.exercises import modules
from g2c.grading import folders, records
from g2c.grading.constants import constant_files
from g2c.grading.marks import HIDDEN, Grade, Scheme
from g2c.grading.processes import end_processes, quiet_environment, start_command
from g2c.grading.submissions import Submission
from g2c.grading.suspicions import suspicions

SECONDS = 240.0
"""Time limit for the tests of one module of a submission, by the clock."""

RUN_TESTS = """
import pickle
from g2c.grading.suite_runner import run_tests
sys.exit(run_tests(pickle.load(sys.stdin.buffer)))
"""


class Session:
    """What the submissions of one call share. Use as a context manager; its temporary folder is removed afterwards.

    Args:
        module_ids: the modules to grade.
        hidden: a folder with the instructor's own tests; None for none.
        seconds: time limit for each module of a submission, by the clock.
        jobs: number of submissions graded at the same time; None: one per processor, at most four.

    Raises:
        CourseError: a module does not exist, `hidden` has no tests, or, on entering, the course's own tests do not run.
    """

    def __init__(
        self, module_ids: list[str], *, hidden: Path | None = None, seconds: float = SECONDS, jobs: int | None = None
    ) -> None:
        for module_id in module_ids:
            if module_id not in modules():
                raise CourseError(f"There is no module {module_id!r}. The modules are: {', '.join(modules())}.")
        if hidden is not None and not list(hidden.rglob("test_*.py")):
            raise CourseError(f"{hidden} holds no tests: a file of hidden tests is called test_NAME.py.")
        self.module_ids = [module_id for module_id in modules() if module_id in module_ids]
        self.hidden = hidden
        self.seconds = seconds
        self.jobs = jobs or min(cores(), 4)
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> "Session":
        self._temporary = tempfile.TemporaryDirectory(prefix="g2c-grade-", ignore_cleanup_errors=True)
        self.folder = Path(self._temporary.name)
        self.folder.chmod(0o711)
        # A user for each job, so that submissions graded at the same time cannot reach each other.
        self._users: SimpleQueue[int | None] = SimpleQueue()
        changes_user = folders.can_change_user(self.folder)
        for job in range(self.jobs):
            self._users.put(folders.FIRST_USER + job if changes_user else None)
        self.course = folders.copy_for_runner(self.folder / "runner", self.hidden)
        self.original = folders.copy_for_students(self.folder / "students")
        self.hypothesis = self.folder / "hypothesis"
        self.hypothesis.mkdir(mode=0o700)
        try:
            with ThreadPoolExecutor(self.jobs) as pool:
                untouched, *constants = pool.map(self._run_tests, [{}, *constant_files(self.module_ids)])
            self.scheme = Scheme(untouched, self.module_ids, constants)
        except BaseException:
            self._temporary.cleanup()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._temporary.cleanup()

    def grade_all(self, submissions: list[Submission]) -> Iterator[Grade]:
        """Yield the grades, each as soon as it is known."""
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = [pool.submit(self.grade, submission) for submission in submissions]
            try:
                for future in as_completed(waiting):
                    yield future.result()
            except BaseException:
                self._stop()
                pool.shutdown(cancel_futures=True)
                raise

    def grade(self, submission: Submission) -> Grade:
        """Run the tests on one submission and count its points."""
        started = time.monotonic()
        files = [modules()[module_id].file for module_id in self.module_ids]
        handed_in = {name: content for name, content in submission.files.items() if name in files}
        grade = Grade(submission.name, notes=list(submission.notes))
        grade.notes += [f"{name}.py was not handed in." for name in files if name not in handed_in]
        for name, content in handed_in.items():
            grade.suspicions += suspicions(f"{name}.py", content)
        found = self._run_tests(handed_in) if handed_in else []
        grade.groups = self.scheme.mark(found)
        grade.seconds = time.monotonic() - started
        if handed_in:
            _add_notes(grade, found, self.seconds * len(self.module_ids))
        return grade

    # --- the test runner ----------------------------------------------------------------------------------------------

    def _run_tests(self, files: dict[str, bytes]) -> list[dict[str, Any]]:
        """The records of a test runner for these files. They end early when it did not finish."""
        user = self._users.get()
        place = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            place.chmod(0o711)
            private = place / "runner"
            private.mkdir(mode=0o700)
            settings = folders.copy_for_student(place, self.original, files, user, [REPOSITORY, self.folder])
            key = secrets.token_bytes(32)
            task = {
                "key": key,
                "report": private / "records",
                "modules": self.module_ids,
                "hidden": self.course / "tests" / "hidden" if self.hidden else None,
                "sandbox": settings,
                "user": user,
            }
            self._run(task, private)
            return records.read(private / "records", key)
        finally:
            self._users.put(user)
            shutil.rmtree(place, ignore_errors=True)

    def _run(self, task: dict[str, Any], private: Path) -> None:
        environment = quiet_environment(private) | {
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.hypothesis),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "COLUMNS": "100",
            "G2C_DATA": str(data_folder()),
        }
        with self._lock:
            if self._stopped:
                return
            process = subprocess.Popen(
                start_command(self.course, RUN_TESTS),
                cwd=private,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired, BrokenPipeError):
                process.communicate(pickle.dumps(task), timeout=self.seconds * len(self.module_ids))
        finally:
            end_processes(process)
            with self._lock:
                self._running.discard(process)

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._running:
                end_processes(process)


def _add_notes(grade: Grade, found: list[dict[str, Any]], seconds: float) -> None:
    """Add what the run showed, a sentence each."""
    grade.notes += [record["note"] for record in found if "note" in record]
    if not found or "end" not in found[-1]:
        grade.notes.append(
            f"The tests did not finish: they ended after {grade.seconds:.0f} seconds, of {seconds:.0f} allowed. "
            "Those without a result count as failed."
        )
    else:
        characters, grade.printed = found[-1]["printed"]
        if characters:
            grade.notes.append(f"The code printed {characters:,} characters. Its output does not count.")
    grade.mistakes = dict(Counter(_mistake_of(record) for record in found if record.get("mistake")).most_common())
    mistakes = Counter(record["mistake"] for record in found if record.get("mistake"))
    for mistake, tests in mistakes.most_common(3):
        grade.notes.append(f"Recognized: {mistake} ({tests} {'test' if tests == 1 else 'tests'}).")


def _mistake_of(record: dict[str, Any]) -> str:
    """A recognized mistake with its module: "04: strict UTF-8"."""
    suite = record["test"].split("::")[0]
    module_id = next((module.id for module in modules().values() if module.suite == suite), HIDDEN)
    return f"{module_id}: {record['mistake']}"
