"""Grade a class: run the tests on each submission, a few at a time, and turn the records into grades."""

import contextlib
import json
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY, data_folder
from g2c.corpus.workers import cores
from g2c.course.exercises import modules
from g2c.grading import folders
from g2c.grading.constants import constant_files, solved_files
from g2c.grading.folders import importable_packages
from g2c.grading.marks import HIDDEN, Grade, Scheme
from g2c.grading.notebook_answers import module_of_answer
from g2c.grading.notebook_code import NotANotebook, code_files
from g2c.grading.processes import end_processes, quiet_environment, start_command
from g2c.grading.runs import Run, RunStore, fingerprint, folder_fingerprint
from g2c.grading.sandbox_process import empty_folder
from g2c.grading.source_reader import SourceReader
from g2c.grading.submissions import Submission

SECONDS = 240.0
"""Time limit for the tests of one module of a submission, by the clock."""

UNSAFE = "Graded with --unsafe: without isolation, so the marks could have been forged."

UNICODE_TABLES = """
from hypothesis import strategies
strategies.text().validate()
"""
"""What every test with random text needs; it takes seconds to make and is stored for the runs that follow."""

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
        self.module_ids = [module_id for module_id in modules() if module_id in module_ids]
        self.notebooks = [module_id for module_id in self.module_ids if module_id in notebooks]
        self.notebook_points = notebook_points
        self.hidden = hidden
        self.seconds = seconds
        self.jobs = jobs or min(cores(), 4)
        self.unsafe = unsafe
        self.store = store or RunStore(None)
        self.reader = SourceReader()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> "Session":
        self._temporary = tempfile.TemporaryDirectory(prefix="g2c-grade-", ignore_cleanup_errors=True)
        self.folder = Path(self._temporary.name)
        try:
            self.hypothesis = self.folder / "hypothesis"
            self.hypothesis.mkdir(mode=0o700)
            with ThreadPoolExecutor(1) as aside:
                tables = aside.submit(self._make_unicode_tables)
                self.course = folders.copy_for_runner(self.folder / "runner", self.hidden)
                self.original = folders.copy_for_students(self.folder / "students")
                if not self.unsafe:
                    self._require_wall()
                self._course_key = folder_fingerprint(self.course)
                tables.result()
            self._make_scheme()
        except BaseException:
            self.reader.close()
            self._temporary.cleanup()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self.reader.close()
        self._temporary.cleanup()

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
        files = [modules()[module_id].file for module_id in self.module_ids]
        files += [modules()[module_id].notebook_file.name for module_id in self.notebooks]
        handed_in = {name: content for name, content in submission.files.items() if name in files}
        grade = Grade(submission.name, notes=list(submission.notes))
        if self.unsafe:
            grade.notes.insert(0, UNSAFE)
        missing = [name for name in files if name not in handed_in]
        grade.notes += [f"{name if name.endswith('.ipynb') else f'{name}.py'} was not handed in." for name in missing]
        for module in (modules()[module_id] for module_id in self.notebooks):
            name = module.notebook_file.name
            try:
                if name in handed_in:
                    self.reader.notebook_code(handed_in[name])
                    given = self.reader.notebook_suspicions(module.solution_file.read_bytes())
                    found = self.reader.notebook_suspicions(handed_in[name])
                    grade.suspicions += [f"{name} {what}." for what in found if what not in given]
            except NotANotebook as reason:
                grade.notes.append(f"{name} is not a notebook: {reason}. Its answers were not checked.")
                del handed_in[name]
        self._read_exercise_files(submission, grade, files)
        run = Run([], 0.0)
        if handed_in:
            key = self._key(handed_in)
            kept = self.store.find(key)
            grade.is_from_before = kept is not None
            run = kept or self._run_tests(handed_in)
            # What was interrupted is done again by the next call.
            if kept is None and not self._stopped:
                for kept_key, kept_run in {**self._scheme_runs, key: run}.items():
                    self.store.keep(kept_key, kept_run)
            records = [record for record in run.records if record.get("note") not in self.usual_notes]
            _add_notes(grade, Run(records, run.seconds), self.seconds * len(self.module_ids))
        grade.groups = self.scheme.mark(run.records)
        grade.seconds = run.seconds
        return grade

    def _read_exercise_files(self, submission: Submission, grade: Grade, graded: Collection[str]) -> None:
        """Put into the grade what the exercise files say; of those that are not graded, too, for the class report."""
        for name, content in submission.files.items():
            if not name.endswith(".ipynb"):
                source = grade.sources[name] = self.reader.exercise_file(name, content)
                if name in graded:
                    grade.suspicions += source.suspicions
                if source.problem:
                    grade.notes.append(f"{name}.py was not compared with other submissions: {source.problem}.")

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
        options = [sys.version, str(self.unsafe), str(self.seconds), *self.module_ids]
        options += [f"notebook {module_id}" for module_id in self.notebooks]
        files = [part for name in sorted(handed_in) for part in (name.encode(), handed_in[name])]
        return fingerprint([self._course_key.encode(), *(option.encode() for option in options), b"", *files])

    def _make_unicode_tables(self) -> None:
        """Have hypothesis store its tables of characters; each run would make them otherwise."""
        environment = quiet_environment(self.hypothesis) | {"HYPOTHESIS_STORAGE_DIRECTORY": str(self.hypothesis)}
        command = [sys.executable, "-I", "-c", UNICODE_TABLES]
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True)

    def _make_scheme(self) -> None:
        self._scheme_runs = self._run_what_makes_the_scheme()
        untouched, *constants, answers = [run.records for run in self._scheme_runs.values()]
        self.usual_notes = {record["note"] for record in answers if "note" in record}
        """What the answer key's notebook tries, too: the lazy imports of given code."""
        self.scheme = Scheme(
            untouched, self.module_ids, constants, answers=answers, notebook_points=self.notebook_points
        )

    def _run_what_makes_the_scheme(self) -> dict[str, Run]:
        """The runs on the untouched files, on constants, and on the answer key's notebooks, each under its key."""
        chosen = [modules()[module_id] for module_id in self.module_ids]
        graded = [module for module in chosen if module.id in self.notebooks]
        untouched = {module.notebook_file.name: module.notebook_file.read_bytes() for module in graded}
        key = solved_files(self.module_ids) | {
            module.notebook_file.name: module.solution_file.read_bytes() for module in graded
        }
        # What the tests say about constants is of no interest, only which of them pass.
        tasks = {self._key(untouched): (untouched, True)}
        tasks |= {f"{self._key(files)}-constants": (files, False) for files in constant_files(self.module_ids)}

        def run_of(key: str) -> Run:
            files, explains = tasks[key]
            return self.store.find(key) or self._run_tests(files, explains=explains)

        with ThreadPoolExecutor(self.jobs) as pool:
            found = dict(zip(tasks, pool.map(run_of, tasks), strict=True))
        of_answers = f"{self._key(key)}-answers"
        found[of_answers] = Run([], 0.0)
        if graded:
            found[of_answers] = self.store.find(of_answers) or self._run_tests(key, suites=False)
        return found

    def _require_wall(self) -> None:
        place = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            folders.require_wall(place, self.original)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    # --- the test runner ----------------------------------------------------------------------------------------------

    def _run_tests(self, files: dict[str, bytes], *, suites: bool = True, explains: bool = True) -> Run:
        """Run the tests on these files. The records end early when the test runner did not finish.

        Args:
            files: exercise files and notebooks.
            suites: False checks the answers of the notebooks alone.
            explains: False leaves out what mistake a failure comes from.
        """
        started = time.monotonic()
        place = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            private = place / "runner"
            private.mkdir(mode=0o700)
            hidden = [REPOSITORY, self.folder]
            exercises = {name: content for name, content in files.items() if not name.endswith(".ipynb")}
            code: dict[str, bytes] = {}
            graded = [modules()[module_id] for module_id in self.notebooks]
            notebooks = [module for module in graded if module.notebook_file.name in files]
            for module in notebooks:
                read = self.reader.notebook_code(files[module.notebook_file.name])
                code |= code_files(module, read, importable_packages())
            settings = folders.copy_for_student(
                place, self.original, exercises | code, hidden, isolated=not self.unsafe
            )
            task = {
                "report": private / "records",
                "modules": self.module_ids,
                "suites": suites,
                "explains": explains,
                "notebooks": [module.id for module in notebooks],
                "hidden": self.course / "tests" / "hidden" if self.hidden and suites else None,
                "sandbox": settings,
            }
            self._run(task, private)
            return Run(_read_records(private / "records"), time.monotonic() - started)
        finally:
            if (place / "scratch").is_dir():
                empty_folder(place / "scratch")
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


def _read_records(path: Path) -> list[dict[str, Any]]:
    """The records that a test runner wrote, one a line; without a last one that it did not finish."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found


def _add_notes(grade: Grade, run: Run, seconds: float) -> None:
    """Add what the run showed, a sentence each. What comes from a hidden test is for the instructor alone."""
    found = run.records
    for record in found:
        if "note" in record and record["hidden"]:
            grade.suspicions.append(f"In the hidden tests: {record['note']}")
        elif "note" in record:
            grade.notes.append(record["note"])
    if found and found[-1].get("end", 0) not in (0, 1):
        grade.notes.append("The tests did not finish: pytest ended early. Those without a result count as failed.")
    elif not found or "end" not in found[-1]:
        limit = f"the limit of {seconds:.0f} seconds was reached"
        why = limit if run.seconds >= seconds else f"their process ended by itself after {run.seconds:.0f} seconds"
        grade.notes.append(f"The tests did not finish: {why}. Those without a result count as failed.")
    else:
        characters, grade.printed = found[-1]["printed"]
        if characters:
            grade.notes.append(f"The code printed {characters:,} characters. Its output does not count.")
    grade.mistakes = dict(Counter(_mistake_of(record) for record in found if record.get("mistake")).most_common())
    mistakes = Counter(record["mistake"] for record in found if record.get("mistake") and not record["hidden"])
    for mistake, tests in mistakes.most_common(3):
        grade.notes.append(f"Recognized: {mistake} ({tests} {'test' if tests == 1 else 'tests'}).")


def _mistake_of(record: dict[str, Any]) -> str:
    """A recognized mistake with its module: "04: strict UTF-8"."""
    suite = record["test"].split("::")[0]
    of_suite = next((module.id for module in modules().values() if module.suite == suite), HIDDEN)
    module_id = module_of_answer(record["test"]) or of_suite
    return f"{module_id}: {record['mistake']}"
