"""Grades a class: has an examiner run the tests on each submission, a few at a time, and turns its records into grades.

python -m coach.grading.session MODULE ...    writes tests/points.json anew (points.py)
"""

import pickle
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path

from coach.common.answer_key import VARIABLE
from coach.common.cores import cores
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.files import saving
from coach.common.paths import REPOSITORY, data_folder
from coach.diagnosis.table import table_of
from coach.exercises import Exercise, Module, all_exercises, chosen_modules, modules
from coach.grading.boundary import NOT_STARTED, NotImported, end_processes
from coach.grading.folders import copy_for_student, copy_visible, make_template
from coach.grading.marks import HIDDEN, Grade, RecognizedMistake, Scheme
from coach.grading.points import CountedTest, constant_files, counted_tests, listed_tests, untouched_file, write_list
from coach.grading.pupil import NotDefined
from coach.grading.records import Run, Task, plain_line
from coach.grading.submissions import Submission
from coach.grading.wall import clean_environment, require_wall
from coach.plain import reports_errors
from coach.source import key_code, parsed
from coach.testing.record import TestRecord, read_lines

EXAMINER = ("-m", "coach.grading.examiner")
SECONDS = 240.0
"""Time limit for the tests of a submission's module, by the clock."""

LIBRARIES = re.compile(rb"(?:\bimport\b.{,99}|\bfrom\s+|['\"])\b(tokenizers|tiktoken|transformers|sentencepiece)\b")
"""Libraries that do an exercise, where a line imports them or names them in a text. Grading does not refuse these."""


@dataclass
class Session:
    """Grades the submissions of one class in a temporary folder, which it removes as a context manager.

    Raises CourseError if a module does not exist, or `hidden` has no tests; on entering, if nothing on this machine
    separates students' code from the marks; before the first grade, if the hidden tests do not run.
    """

    module_ids: list[str]
    _: KW_ONLY
    hidden: Path | None = None
    seconds: float = SECONDS
    jobs: int | None = None
    """Number of submissions graded at the same time. None: one per processor, at most four."""
    trust: bool = False
    """Grade even where nothing separates students' code from the marks. Every report then says so."""

    def __post_init__(self) -> None:
        if self.hidden is not None:
            tests = list(self.hidden.rglob("test_*.py"))
            if not tests:
                raise CourseError(f"{self.hidden} contains no tests: name a file of hidden tests test_NAME.py.")
            for file in tests:
                parsed(file)  # An error is better raised now than after the course's tests.
        self.modules = chosen_modules(self.module_ids)
        self._examiners: list[subprocess.Popen[bytes]] = []
        self._idle: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Session":
        self.wall = require_wall(trust=self.trust)
        with saving(Path(tempfile.gettempdir())), ExitStack() as opened:
            folder = tempfile.TemporaryDirectory(prefix=f"{PROGRAM}-grade-", ignore_cleanup_errors=True)
            self.folder = Path(opened.enter_context(folder))
            self.folder.chmod(0o711)
            untouched = {module.exercise_path: untouched_file(module) for module in modules().values()}
            self._template = make_template(self.folder / "template", untouched)
            self._private = self.folder / "private"
            self._private.mkdir(mode=0o700)
            if self.hidden:
                copy_visible(self.hidden, self._private / HIDDEN)
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    # --- grades -------------------------------------------------------------------------------------------------------

    def grade_all(self, submissions: Sequence[Submission]) -> Iterator[Grade]:
        """Yield the grades, each as soon as it is known.

        If a fault of the machine keeps a submission from being graded, its grade has no marks, and a note says why.
        """
        assert self.scheme
        pool = ThreadPoolExecutor(self.jobs or min(cores(), 4))
        try:
            for future in as_completed([pool.submit(self.grade, each) for each in submissions]):
                yield future.result()
        finally:
            for examiner in self._examiners:
                end_processes(examiner.pid)
            pool.shutdown(cancel_futures=True)

    def grade(self, submission: Submission) -> Grade:
        """Run the tests on one submission and count its points."""
        try:
            is_asked = any(module.file in submission.files for module in self.modules)
            return self._grade(submission, self.run(submission.files) if is_asked else Run(finished=True))
        except Exception as error:  # No error may keep the others from their marks.
            fault = str(error) if isinstance(error, CourseError) else f"{type(error).__name__}: {error}"
            note = f"Not graded, because of this machine: {fault}. Grade it again."
            return Grade(submission.name, [], [note, *submission.notes], wall=self.wall.sentence)

    def _grade(self, submission: Submission, run: Run) -> Grade:
        grade = Grade(submission.name, self.scheme.mark(run), list(submission.notes), wall=self.wall.sentence)
        for module in self.modules:
            for sentence in submission.forgiven.get(module.file, ()):
                grade.forgive(sentence)
            if module.file not in submission.files:
                grade.notes.append(submission.untouched.get(module.file, f"{module.file}.py was not handed in."))
            libraries = libraries_in(submission.files.get(module.file, b""))
            grade.suspicions += [f"{module.file}.py imports {name}, which does the exercise." for name in libraries]
        # The suites of two modules may import the same file.
        for note in dict.fromkeys(run.notes):
            if note.hidden:
                grade.suspicions.append(f"In the hidden tests: {note.note}")
            elif note.forgiven:
                grade.forgive(note.note)
            else:
                grade.notes.append(note.note)
        if not run.finished:
            grade.notes.append("The tests did not finish: their time was up, or their process ended.")
        _add_mistakes(grade, run)
        return grade

    @cached_property
    def scheme(self) -> Scheme:
        """How many points each test is worth."""
        tests = [test for module in self.modules for test in listed_tests(module)]
        if self.hidden:
            tests += self.counted_tests(only_hidden=True)
        return Scheme(tests, self.modules)

    def counted_tests(self, *, only_hidden: bool = False) -> list[CountedTest]:
        """Find the tests that have points, by runs on files that solve nothing."""
        unsolved = [{}, *constant_files(module.id for module in self.modules)]
        untouched, *constants = [self.run(files, only_hidden=only_hidden) for files in unsolved]
        return counted_tests(untouched, constants)

    def check_key(self) -> None:
        """Run the tests on the answer key. CourseError: it fails one, which nobody could pass."""
        codes = {each: key_code(each, each.exercises) for each in self.modules}
        run = self.run({each.file: untouched_file(each) + code.encode() for each, code in codes.items()})
        if failed := [test for test in run.tests if test.outcome == "failed"]:
            names = "\n".join(test.test for test in failed)
            raise CourseError(
                f"With the answer key, these tests fail in grading:\n{names}\n\n{failed[0]}\n\nGraded code runs in "
                "another process. Plain data and objects of given classes reach it and come back, but no functions, "
                "and nothing that contains itself. Change these tests, or mark them @pytest.mark.in_process: then they "
                "are not graded."
            )

    # --- the examiner -------------------------------------------------------------------------------------------------

    def run(self, handed_in: Mapping[str, bytes], *, only_hidden: bool = False) -> Run:
        """Have an examiner run the tests on a submission: exercise file without ".py" -> content.

        CourseError: a fault of the machine kept it from its work.
        """
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.folder, ignore_cleanup_errors=True) as name:
            place = Path(name)
            place.chmod(0o711)
            (place / "examiner").mkdir(mode=0o700)
            files = {each.exercise_path: handed_in[each.file] for each in self.modules if each.file in handed_in}
            task = Task(
                folder=place / "examiner",
                course=copy_for_student(place, self._template, files),
                wall=self.wall,
                modules=tuple(module.id for module in self.modules),
                runs=() if only_hidden else tuple((module.suite,) for module in self.modules),
                hidden=self._private / HIDDEN if self.hidden else None,
            )
            deadline = time.monotonic() + self.seconds * len(self.modules)
            run = self._examined(task, deadline)
            for module in self.modules if not only_hidden else ():
                self._carry_forward(module, run, task, deadline)
            return run

    def _carry_forward(self, module: Module, run: Run, task: Task, deadline: float) -> None:
        """Run the tests of each exercise that failed once more, with the answer key's code for those above it that are
        wrong: that failed, and then failed with the answer key's code for those above them, too. An exercise that is
        not written needs no such run. At last, if all are written, run the tests that need all exercises.

        So a mistake in one exercise costs no points of those that call it, and no right exercise is replaced.
        """
        file = task.course / module.exercise_path
        own = file.read_bytes()
        wrong: list[Exercise] = []
        in_first_run = run.failed(module)

        def failed_with_key(groups: Iterable[str]) -> list[TestRecord]:
            file.write_bytes(own + key_code(module, wrong).encode())
            tests = tuple(f"{module.suite}::{group}" for group in groups)
            with_key = self._examined(replace(task, runs=(tests,), hidden=None), deadline)
            run.again.append((tuple(each.name for each in wrong), with_key.tests))
            return with_key.failed(module)

        is_whole = True
        for exercise in module.exercises if NotImported.__name__ not in {test.error for test in in_first_run} else ():
            failed = [test for test in in_first_run if test.group in exercise.groups]
            is_missing = bool(failed) and all(_is_missing(exercise, test) for test in failed)
            is_whole = is_whole and not is_missing
            if wrong and failed and not is_missing:
                failed = failed_with_key(exercise.groups)
            wrong += [exercise] if failed else []
        together = {test.group: test for test in in_first_run if test.group in module.together}
        if wrong and together and is_whole:
            failed_with_key(together)
        file.write_bytes(own)

    def _examined(self, task: Task, deadline: float) -> Run:
        """Have an examiner do a task. The run is not finished if the deadline ended it, and empty after that."""
        if time.monotonic() >= deadline:
            return Run()
        try:
            examiner = self._idle.pop()
        except IndexError:
            examiner = self._new_examiner()
        assert examiner.stdin and examiner.stdout
        with suppress(OSError):
            pickle.dump(task, examiner.stdin)
        if not select.select([examiner.stdout], [], [], max(deadline - time.monotonic(), 0))[0]:
            end_processes(examiner.pid)
            return Run.of(read_lines(task.report))
        code = next(iter(examiner.stdout.read(1)), 1)
        if code:
            what = "the process for its code could not be started" if code == NOT_STARTED else "the tests were ended"
            raise CourseError(f"{what} (exit code {code})")
        self._idle.append(examiner)
        return Run.of(read_lines(task.report))

    def _new_examiner(self) -> subprocess.Popen[bytes]:
        """Start an examiner. It ends when its standard input is closed, which also happens when `g2c grade` ends."""
        others = [module_id for module_id in modules() if module_id not in [module.id for module in self.modules]]
        variables = {"PYTHONPATH": str(REPOSITORY), "PYTHONSAFEPATH": "1", VARIABLE: ",".join(others), "COLUMNS": "100"}
        variables |= {"G2C_DATA": str(data_folder()), "HYPOTHESIS_STORAGE_DIRECTORY": str(REPOSITORY / ".hypothesis")}
        variables["PYTHONHASHSEED"] = "0"  # Hypothesis takes texts from a set, and everybody gets the same examples.
        examiner = subprocess.Popen(
            [sys.executable, "-B", *EXAMINER],
            bufsize=0,
            cwd=self._private,
            env=clean_environment(**variables, MPLBACKEND="agg"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._examiners.append(self._opened.enter_context(examiner))
        return examiner


def _is_missing(exercise: Exercise, failed: TestRecord) -> bool:
    """Say whether a test of an exercise failed because it is not written, so that no other code lets it pass."""
    errors = NotImplementedError.__name__, NotDefined.__name__
    return failed.error in errors and failed.place is not None and failed.place.function == exercise.name


# --- notes of a grade -------------------------------------------------------------------------------------------------


def libraries_in(source: bytes) -> list[str]:
    """Return the libraries that do an exercise, in a submission's code.

    The text is searched and not parsed, because Python's parser takes minutes or gigabytes for some short files.

    >>> libraries_in(b"# as tokenizers do\\nimport numpy, tiktoken")
    ['tiktoken']
    """
    return sorted({name.decode() for name in LIBRARIES.findall(source)})


def _add_mistakes(grade: Grade, run: Run) -> None:
    """Name the mistake of each exercise that failed with the student's own code, as the terminal names it.

    That is the one that the first failure of the exercise's tests shows. If the tests ran again with the answer key's
    code for the exercises above, this run counts. An exercise with full points has none.
    """
    lost = {(mark.group.module_id, mark.group.title) for mark in grade.groups if mark.points < mark.group.points}
    with_key = [test for _, tests in run.again for test in tests]
    for exercise in [each for each in all_exercises() if (each.module_id, each.name) in lost]:
        suite = f"{exercise.module.suite}::"
        own, again = (
            [one for one in tests if one.test.startswith(suite) and one.group in exercise.groups]
            for tests in (run.tests, with_key)
        )
        # A file that cannot be imported is no mistake of its exercises.
        failed = [one for one in again or own if one.outcome == "failed" and one.error != NotImported.__name__]
        # Of a later failure, another name may be the likeliest, although the first contradicts it.
        found = failed[0].report.mistake if failed and failed[0].report else None
        if found:
            name = plain_line(found.name)
            named = [one for one in table_of(exercise.module).wrong_solutions if one.mistake.name == name]
            # Several wrong solutions may have one name, and each its own advice.
            named.sort(key=lambda one: (one.exercise != exercise, one.mistake.why != found.why))
            known = [one.mistake for one in named]
            # A name outside the bank may contain text that the student's code chose: a run with the key gives none.
            if known or not again:
                why, thought = (known[0].why, known[0].thought) if known else ("", "")
                grade.mistakes.append(RecognizedMistake(exercise.module_id, name, thought))
                grade.notes.append(f"Recognized in {exercise.name}: {name}. {why}".rstrip())


@reports_errors
def main(module_ids: list[str]) -> int:
    with Session(module_ids or list(modules()), trust=True) as writing:
        writing.check_key()
        write_list(writing.modules, writing.counted_tests())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
