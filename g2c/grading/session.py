"""Grade a class: run the tests on each submission, a few at a time, and turn the records into grades."""

import fcntl
import json
import pickle
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.framing import receive_frame, send_frame
from g2c.common.paths import REPOSITORY, data_folder
from g2c.corpus.workers import cores
from g2c.course.diagnosis import bank
from g2c.course.exercises import Module, modules
from g2c.grading import folders
from g2c.grading.constants import constant_files, solved_files
from g2c.grading.folders import importable_packages
from g2c.grading.marks import HIDDEN, Grade, Scheme
from g2c.grading.notebook_answers import module_of_answer, notebook_files
from g2c.grading.processes import end_processes, start_process
from g2c.grading.runs import Run, RunStore, fingerprint, folder_fingerprint
from g2c.grading.sandbox_process import empty_folder
from g2c.grading.source_report import Source
from g2c.grading.sources import Use, read_notebook
from g2c.grading.submissions import Submission

SECONDS = 240.0
"""Time limit for the tests of one module of a submission, by the clock."""

UNSAFE = "Graded with --unsafe: without isolation, so the marks could have been forged."

PREFIX = "g2c-grade-"
"""Of the names of temporary folders."""


class Session:
    """What the submissions of one call share. Use as a context manager; its temporary folder is removed afterwards.

    Args:
        module_ids: the modules to grade.
        hidden: a folder with the instructor's own tests; None for none.
        private: further files and folders that students' code must not read, such as the submissions of others.
        seconds: time limit for each module of a submission, by the clock.
        jobs: number of submissions graded at the same time; None: one per processor, at most four.
        unsafe: grade without isolation; every grade then has a note that it could have been forged.
        notebooks: IDs of the modules whose notebook is graded, too.
        notebook_points: what the answers of each notebook are worth, of the points of its module.
        store: where the runs of earlier calls are, and those of this one will be; None keeps none.

    Raises:
        CourseError: a module does not exist, `hidden` has no tests, or, on entering, the wall does not hold on this
            machine, or the course's own tests do not run.
    """

    def __init__(
        self,
        module_ids: list[str],
        *,
        hidden: Path | None = None,
        private: Sequence[Path] = (),
        seconds: float = SECONDS,
        jobs: int | None = None,
        unsafe: bool = False,
        notebooks: Collection[str] = (),
        notebook_points: int = 0,
        store: RunStore | None = None,
    ) -> None:
        for module_id in module_ids:
            if module_id not in modules():
                raise CourseError(f"There is no module {module_id!r}. The modules are: {', '.join(modules())}.")
        if hidden is not None and not list(hidden.rglob("test_*.py")):
            raise CourseError(f"{hidden} holds no tests: a file of hidden tests is called test_NAME.py.")
        self.modules = [module for module in modules().values() if module.id in module_ids]
        self.notebooks = [module for module in self.modules if module.id in notebooks]
        self.notebook_points = notebook_points
        self.hidden = hidden
        self.private = [path.resolve() for path in [*([hidden] if hidden else []), *private]]
        self.seconds = seconds * len(self.modules)
        self.jobs = jobs or min(cores(), 4)
        self.unsafe = unsafe
        self.store = store or RunStore(None)
        self._runner: subprocess.Popen[bytes] | None = None
        self._connections: SimpleQueue[socket.socket] = SimpleQueue()
        """Those to the test runner that no submission uses just now."""

    def __enter__(self) -> "Session":
        with ExitStack() as opened:
            self.folder = opened.enter_context(_temporary_folder())
            self.course = folders.copy_for_runner(self.folder / "runner", self.hidden)
            opened.callback(self._stop)
            self._start_runner()
            self.original = folders.copy_for_students(self.folder / "students")
            if not self.unsafe:
                self._require_wall()
            self._course_key = folder_fingerprint(self.course)
            self._make_scheme()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def grade_all(self, submissions: list[Submission]) -> Iterator[Grade]:
        """Yield the grades, each as soon as it is known.

        Raises:
            SavingError: the report folder cannot be written to.
        """
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = [pool.submit(self._grade_whatever_happens, submission) for submission in submissions]
            try:
                for future in as_completed(waiting):
                    yield future.result()
            except BaseException:
                self._stop()
                pool.shutdown(cancel_futures=True)
                raise

    def grade(self, submission: Submission) -> Grade:
        """Run the tests on one submission and count its points."""
        wanted = [module.file for module in self.modules] + [module.notebook_file.name for module in self.notebooks]
        handed_in = {name: content for name, content in submission.files.items() if name in wanted}
        grade = Grade(submission.name, notes=list(submission.notes))
        if self.unsafe:
            grade.notes.insert(0, UNSAFE)
        missing = [name for name in wanted if name not in handed_in]
        grade.notes += [f"{name if name.endswith('.ipynb') else f'{name}.py'} was not handed in." for name in missing]
        run = Run([], 0.0)
        if handed_in:
            key = self._key(handed_in)
            kept = self.store.find(key)
            grade.is_from_before = kept is not None
            run = kept or self._run_tests(handed_in)
            if kept is None:
                self.store.keep(key, run)
            _add_sources(grade, run)
        grade.groups = self.scheme.mark(run.records)
        if handed_in:
            records = [record for record in run.records if record.get("note") not in self.usual_notes]
            _add_notes(grade, Run(records, run.seconds), self.seconds)
        grade.seconds = run.seconds
        return grade

    def _grade_whatever_happens(self, submission: Submission) -> Grade:
        """The grade of a submission; without points when something goes wrong that is not this submission's doing."""
        try:
            return self.grade(submission)
        except CourseError:
            raise
        except Exception as error:
            note = f"This submission could not be graded ({type(error).__name__}: {error}). Grade it again."
            return Grade(submission.name, self.scheme.mark([]), [note, *submission.notes])

    def _key(self, handed_in: dict[str, bytes]) -> str:
        """The key of a run in the store, from everything that it depends on."""
        options = [sys.version, str(self.unsafe), str(self.seconds), *(module.id for module in self.modules)]
        options += [f"notebook {module.id}" for module in self.notebooks]
        files = [part for name in sorted(handed_in) for part in (name.encode(), handed_in[name])]
        return fingerprint([self._course_key.encode(), *(option.encode() for option in options), b"", *files])

    def _make_scheme(self) -> None:
        """Run the tests on what solves nothing, and the answers on the answer key's notebooks."""
        module_ids = [module.id for module in self.modules]
        notebooks = {module.notebook_file.name: module for module in self.notebooks}
        key = solved_files(module_ids) | {name: module.solution_file.read_bytes() for name, module in notebooks.items()}
        tasks = [({name: module.notebook_file.read_bytes() for name, module in notebooks.items()}, True)]
        tasks += [(files, True) for files in constant_files(module_ids)]
        tasks += [(key, False)] if notebooks else []

        def records_of(files: dict[str, bytes], suites: bool) -> list[dict[str, Any]]:
            name = f"{self._key(files)}-scheme"
            run = self.store.find(name) or self._run_tests(files, suites=suites, explains=False)
            self.store.keep(name, run)
            return run.records

        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                untouched, one, empty, *of_key = pool.map(records_of, *zip(*tasks))
            except BaseException:
                self._stop()  # Otherwise the pool would wait for the runs.
                raise
        self.answers = of_key[0] if of_key else []
        """The records of the answers in the answer key's notebooks."""
        self.usual_notes = {record["note"] for record in self.answers if "note" in record}
        """What the answer key's notebook tries, too: the lazy imports of given code."""
        self.scheme = Scheme(
            untouched, module_ids, [one, empty], answers=self.answers, notebook_points=self.notebook_points
        )

    def _require_wall(self) -> None:
        place = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            folders.require_wall(place, self.original)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    # --- the test runner ----------------------------------------------------------------------------------------------

    def _start_runner(self) -> None:
        private = self.folder / "private"
        private.mkdir(mode=0o700)
        pairs = [socket.socketpair() for _ in range(self.jobs)]
        self._runner = start_process(
            "g2c.grading.runner",
            self.course,
            private,
            [theirs for _, theirs in pairs],
            HYPOTHESIS_STORAGE_DIRECTORY=str(private),
            PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
            COLUMNS="100",
            G2C_DATA=str(data_folder()),
        )
        for mine, theirs in pairs:
            theirs.close()
            self._connections.put(mine)

    def _run_tests(self, files: dict[str, bytes], *, suites: bool = True, explains: bool = True) -> Run:
        """Run the tests on these files. The records end early when the run did not finish.

        Args:
            files: exercise files and notebooks.
            suites: False checks the answers of the notebooks alone.
            explains: False leaves out what mistake a failure comes from, and what the source says.

        Raises:
            OSError: the test runner has ended.
        """
        connection = self._connections.get()
        started = time.monotonic()
        place = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            private = place / "runner"
            private.mkdir(mode=0o700)
            exercises = {module.exercise_path: files[module.file] for module in self.modules if module.file in files}
            notebooks = [module for module in self.notebooks if module.notebook_file.name in files]
            for module in notebooks:
                exercises |= notebook_files(module, files[module.notebook_file.name], importable_packages())
            task = {
                "report": private / "records",
                "seconds": self.seconds,
                "modules": [module.id for module in self.modules],
                "suites": suites,
                "explains": explains,
                "notebooks": {module.id: self._uses_of_key(module) for module in notebooks},
                "files": [module.id for module in self.modules if module.file in files],
                "hidden": self.course / "tests" / "hidden" if self.hidden and suites else None,
                "sandbox": folders.copy_for_student(
                    place,
                    self.original,
                    exercises,
                    [REPOSITORY, self.folder, *self.private],
                    isolated=not self.unsafe,
                ),
            }
            send_frame(connection, pickle.dumps(task))
            try:
                receive_frame(connection)
            except EOFError:
                raise OSError("the test runner has ended") from None
            return Run(_read_records(private / "records"), time.monotonic() - started)
        finally:
            self._connections.put(connection)
            if (place / "scratch").is_dir():
                empty_folder(place / "scratch")
            shutil.rmtree(place, ignore_errors=True)

    def _uses_of_key(self, module: Module) -> list[Use]:
        uses: list[Use] = read_notebook(module.solution_file.read_bytes(), importable_packages())["uses"]
        return uses

    def _stop(self) -> None:
        """End the test runner and everything that it has started."""
        if self._runner is not None:
            end_processes(self._runner.pid)
            self._runner = None


class _temporary_folder:
    """A context manager with a temporary folder. Those of earlier calls that were killed are removed, too."""

    def __enter__(self) -> Path:
        for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            with suppress(OSError), open(left / "lock", "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.lock = open(self.folder / "new", "wb")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        (self.folder / "new").rename(self.folder / "lock")
        return self.folder

    def __exit__(self, *_: object) -> None:
        self.lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _read_records(path: Path) -> list[dict[str, Any]]:
    """The records that a test runner wrote, one a line; without a last one that it did not finish."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found


def _add_sources(grade: Grade, run: Run) -> None:
    """Add what the source says, to the grade and to what is worth a look."""
    for record in run.records:
        if "source" in record:
            source = Source.from_record(record)
            grade.suspicions += source.suspicions
            if record["source"].endswith(".ipynb"):
                continue
            grade.sources[record["source"]] = source
            if source.problem:
                grade.notes.append(f"{record['source']}.py was not compared with other submissions: {source.problem}.")


def _add_notes(grade: Grade, run: Run, seconds: float) -> None:
    """Add what the run showed, a sentence each. What comes from a hidden test is for the instructor alone."""
    found = run.records
    for record in found:
        if "note" in record and record["hidden"]:
            grade.suspicions.append(f"In the hidden tests: {record['note']}")
        elif "note" in record:
            grade.notes.append(record["note"])
    end = next((record for record in found if "end" in record), None)
    if end is None:
        limit = f"the limit of {seconds:.0f} seconds was reached"
        why = limit if run.seconds >= seconds else f"their process ended by itself after {run.seconds:.0f} seconds"
        grade.notes.append(f"The tests did not finish: {why}. Those without a result count as failed.")
    elif end["end"] not in (0, 1):
        grade.notes.append("The tests did not finish: pytest ended early. Those without a result count as failed.")
    else:
        characters, grade.printed = end["printed"]
        if characters:
            grade.notes.append(f"The code printed {characters:,} characters. Its output does not count.")
    failed = {(mark.group.module_id, mark.group.title) for mark in grade.groups if mark.failures}
    answers = {node for mark in grade.groups if mark.group.is_notebook for node in mark.group.nodes}
    # An answer that does not count fails for everybody.
    counting = [record for record in found if "test" in record]
    counting = [each for each in counting if each["test"] in answers or not module_of_answer(each["test"])]
    named = [record for record in counting if record.get("mistake") and _may_be_named(_mistake_of(record), failed)]
    grade.mistakes = dict(Counter(map(_mistake_of, named)).most_common())
    mistakes = Counter(record["mistake"] for record in named if not record["hidden"])
    grade.notes += [f"Recognized: {mistake}." for mistake, _ in mistakes.most_common(3)]


def _may_be_named(mistake: str, failed: Collection[tuple[str, str]]) -> bool:
    """Whether a recognized mistake is one of an exercise that failed, as far as the bank knows whose it is.

    Args:
        mistake: with its module: "04: strict UTF-8".
        failed: module and name of the exercises that failed, where others' mistakes are not the reason.
    """
    module_id, _, name = mistake.partition(": ")
    known = [entry for entry in bank.entries(module_id) if entry.mistake == name] if module_id != HIDDEN else []
    return not known or any((module_id, entry.exercise.name) in failed for entry in known)


def _mistake_of(record: dict[str, Any]) -> str:
    """A recognized mistake with its module: "04: strict UTF-8"."""
    suite = record["test"].split("::")[0]
    of_suite = next((module.id for module in modules().values() if module.suite == suite), HIDDEN)
    module_id = module_of_answer(record["test"]) or of_suite
    return f"{module_id}: {record['mistake']}"
