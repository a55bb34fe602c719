"""Grades a class: has the tests run on each submission, a few at a time, and turns the records into grades."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from g2c.common.cores import cores
from g2c.common.errors import CourseError
from g2c.common.files import saving, write_file
from g2c.common.paths import REPOSITORY, data_folder
from g2c.course.diagnosis import bank
from g2c.course.exercises import chosen_modules, modules
from g2c.course.source import parsed
from g2c.course.testing.record import read_lines
from g2c.grading import folders
from g2c.grading.folders import constant_files
from g2c.grading.marks import HIDDEN, Grade, RecognizedMistake, Scheme
from g2c.grading.processes import end_processes, start_process
from g2c.grading.records import Run, Task, plain_line
from g2c.grading.submissions import Submission

SECONDS = 240.0
"""Time limit for the tests of a submission's module, by the clock."""

LIBRARIES = re.compile(rb"(?:\bimport\b.{,99}|\bfrom\s+|['\"])\b(tokenizers|tiktoken|transformers|sentencepiece)\b")
"""Libraries that do an exercise, where a line imports them or names them in a text. Grading does not refuse these."""


Lines = list[dict[str, Any]]

Files = dict[str, bytes]
"""Exercise file without ".py" -> content. Other names are ignored."""


@dataclass
class Session:
    """Grades the submissions of one class in a temporary folder, which it removes as a context manager.

    Raises CourseError if a module does not exist, or `hidden` has no tests; on entering, if this machine cannot isolate
    students' code, or the course's own tests do not run.
    """

    module_ids: list[str]
    _: KW_ONLY
    hidden: Path | None = None
    private: Sequence[Path] = ()
    """Further files and folders that students' code must not read, such as others' submissions."""
    seconds: float = SECONDS
    jobs: int | None = None
    """Number of submissions graded at the same time. None: one per processor, at most four."""
    unsafe: bool = False
    """Grade without isolation. Every grade then has a note that it could have been forged."""
    scheme: Path | None = None
    """A file that keeps the points of each test for later sessions."""

    def __post_init__(self) -> None:
        if self.hidden is not None:
            tests = list(self.hidden.rglob("test_*.py"))
            if not tests:
                raise CourseError(f"{self.hidden} contains no tests: name a file of hidden tests test_NAME.py.")
            for file in tests:
                parsed(file)  # An error is better raised now than after the course's tests.
        self.modules = chosen_modules(self.module_ids)
        self._seconds = self.seconds * len(self.modules)
        self._jobs = self.jobs or min(cores(), 4)

    def __enter__(self) -> "Session":
        with saving(Path(tempfile.gettempdir())), ExitStack() as opened:
            temporary = tempfile.TemporaryDirectory(prefix="g2c-grade-", ignore_cleanup_errors=True)
            self.folder = Path(opened.enter_context(temporary))
            self._template = folders.make_template(self.folder / "template")
            if self.hidden:
                folders.copy_visible(self.hidden, self.folder / HIDDEN)
            private = self.folder / "private"
            private.mkdir(mode=0o700)
            self._start_runner(private)
            opened.callback(lambda: end_processes(self._runner.pid))
            if not self.unsafe:
                (self.folder / "trial").mkdir()
                folders.require_wall(self.folder / "trial", self._template)
            self._unreadable = [REPOSITORY, self.folder]
            self._unreadable += [path.resolve() for path in (self.hidden, *self.private) if path]
            answered = {module.exercise_path: folders.answered_file(module) for module in self.modules}
            self._key = folders.copy_for_student(private, self._template, answered, self._unreadable).course
            self._scheme = self._find_scheme()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def grade_all(self, submissions: Sequence[Submission]) -> Iterator[Grade]:
        """Yield the grades, each as soon as it is known.

        If a fault of the machine keeps a submission from being graded, even when it is tried again at the end, its
        grade has no marks, and a note says why.
        """
        names = {module.file for module in self.modules}
        asked = {place: one.files for place, one in enumerate(submissions) if names & one.files.keys()}
        for place, submission in enumerate(submissions):
            if place not in asked:
                yield self._grade(submission, Run(finished=True))
        for place, lines, fault in self._runs(asked):
            yield self._grade_or_say_why(submissions[place], lines, fault)

    def grade(self, submission: Submission) -> Grade:
        """Run the tests on one submission and count its points."""
        return next(self.grade_all([submission]))

    def _grade_or_say_why(self, submission: Submission, lines: Lines, fault: str) -> Grade:
        if not fault:
            try:
                return self._grade(submission, Run.of(lines))
            except Exception as error:  # No error may keep the others from their marks.
                fault = f"{type(error).__name__}: {error}"
        note = f"Not graded, because of this machine: {fault}. Grade it again."
        return Grade(submission.name, [], [note, *submission.notes])

    def _grade(self, submission: Submission, run: Run) -> Grade:
        grade = Grade(submission.name, self._scheme.mark(run), list(submission.notes))
        if self.unsafe:
            grade.notes.insert(0, "Graded with --unsafe: without isolation, so the marks could have been forged.")
        for module in self.modules:
            for sentence in submission.forgiven.get(module.file, ()):
                grade.forgive(sentence)
        missing = [module.file for module in self.modules if module.file not in submission.files]
        grade.notes += [submission.untouched.get(name, f"{name}.py was not handed in.") for name in missing]
        for module in self.modules:
            libraries = libraries_in(submission.files.get(module.file, b""))
            grade.suspicions += [f"{module.file}.py imports {name}, which does the exercise." for name in libraries]
        for note in run.notes:
            if note.hidden:
                grade.suspicions.append(f"In the hidden tests: {note.note}")
            elif note.forgiven:
                grade.forgive(note.note)
            else:
                grade.notes.append(note.note)
        if not run.finished:
            ended = "The tests did not finish: their time was up, or their process ended."
            grade.notes.append(f"{ended} Those without a result count as failed.")
        _add_mistakes(grade, run)
        return grade

    def _find_scheme(self) -> Scheme:
        """Find how many points each test is worth, by runs on files that solve nothing."""
        module_ids = [module.id for module in self.modules]
        runs: list[Lines] = []
        if self.scheme:
            with suppress(OSError, ValueError):
                runs = json.loads(self.scheme.read_bytes())
        if not runs:
            unsolved = enumerate([{}, *constant_files(module_ids)])
            found = sorted(self._runs(dict(unsolved), explains=False))
            if faults := [fault for _, _, fault in found if fault]:
                raise CourseError(f"Grading cannot begin: {faults[0]}. Free some space or memory, and try again.")
            runs = [lines for _, lines, _ in found]
            if self.scheme:
                write_file(self.scheme, [json.dumps(runs).encode()])
        untouched, *constants = map(Run.of, runs)
        return Scheme(untouched, module_ids, constants)

    # --- the test runner ----------------------------------------------------------------------------------------------

    def _start_runner(self, private: Path) -> None:
        variables = {"HYPOTHESIS_STORAGE_DIRECTORY": str(private), "COLUMNS": "100", "G2C_DATA": str(data_folder())}
        self._runner, self._connection = start_process("g2c.grading.runner", REPOSITORY, private, **variables)

    def _runs(self, asked: Mapping[int, Files], *, explains: bool = True) -> Iterator[tuple[int, Lines, str]]:
        """Run the tests on submissions, a few at a time, and yield (number, lines, fault of the machine or "").

        After a fault, a submission is tried again at the end, alone.
        """
        waiting, failed, is_last = list(asked), list[int](), False
        running: dict[int, Path] = {}
        while waiting or running or failed:
            if not waiting and not running:
                waiting, failed, is_last = failed, [], True
            ended: list[tuple[int, str]] = []
            while waiting and len(running) < (1 if is_last else self._jobs):
                number = waiting.pop(0)
                running[number] = self.folder / f"run-{number}"
                try:
                    task = self._task(running[number], asked[number], explains)
                except OSError as error:
                    reason = re.search(r"(?<=\[Errno \d\d\] )[^:']+", str(error))  # shutil gives a list of errors.
                    ended.append((number, reason[0] if reason else "its files could not be copied"))
                    break
                with suppress(OSError):  # If the test runner has ended, the next lines notice it.
                    self._connection.send((number, task))
            try:
                ended = ended or [self._connection.recv()]
            except (EOFError, OSError):
                ended = [(number, "the process that runs the tests was killed") for number in running]
                end_processes(self._runner.pid)
                self._start_runner(self.folder / "private")
            for number, fault in ended:
                place = running.pop(number)
                lines = read_lines(place / "runner" / "records")
                shutil.rmtree(place, ignore_errors=True)
                if fault and not is_last:
                    failed.append(number)
                else:
                    yield number, lines, fault

    def _task(self, place: Path, handed_in: Files, explains: bool) -> Task:
        """Return the task for the test runner, with its files in the folder `place`."""
        private = place / "runner"
        place.mkdir(mode=0o700)
        private.mkdir(mode=0o700)
        files = {each.exercise_path: handed_in[each.file] for each in self.modules if each.file in handed_in}
        sandbox = folders.copy_for_student(place, self._template, files, self._unreadable, isolated=not self.unsafe)
        return Task(
            report=private / "records",
            seconds=self._seconds,
            modules=tuple(module.id for module in self.modules),
            explains=explains,
            hidden=self.folder / HIDDEN if self.hidden else None,
            sandbox=sandbox,
            key=replace(sandbox, course=self._key, scratch=private / "scratch"),
        )


# --- notes of a grade -------------------------------------------------------------------------------------------------


def libraries_in(source: bytes) -> list[str]:
    """Return the libraries that do an exercise, in a submission's code.

    The text is searched and not parsed, because Python's parser takes minutes or gigabytes for some short files.

    >>> libraries_in(b"# as tokenizers do\\nimport numpy, tiktoken")
    ['tiktoken']
    """
    return sorted({name.decode() for name in LIBRARIES.findall(source)})


def _add_mistakes(grade: Grade, run: Run) -> None:
    """Name the mistakes that were recognized, each in an exercise that failed and has only this one.

    An exercise that passed with the answer key's code for those above it has none. An exercise's own tests say more
    about it than tests of others that call it; where they point to different mistakes, none is named.
    """
    failed = {(mark.group.module_id, mark.group.title) for mark in grade.groups if mark.failures}
    suites = {module.suite: module for module in modules().values()}
    own: dict[tuple[str, str], dict[RecognizedMistake, str]] = {}
    elsewhere: dict[tuple[str, str], dict[RecognizedMistake, str]] = {}
    for record in run.tests:
        name, module = plain_line(record.mistake), suites.get(record.test.partition("::")[0])
        if name and module:
            tested = module.exercise_of(record.group)
            known = [entry for entry in bank.entries(module.id) if entry.mistake.name == name]
            mistake = RecognizedMistake(module.id, name, known[0].mistake.thought if known else "")
            causes = [(entry.exercise, f" {entry.mistake.why}") for entry in known]
            # A name outside the bank may contain text that the student's code chose: a run with the key gives none.
            causes += [(tested, "")] if tested and not known and not record.with_key else []
            for exercise, why in causes:
                found = own if exercise == tested else elsewhere
                found.setdefault((module.id, exercise.name), {})[mistake] = why
    for (module_id, exercise_name), named in (elsewhere | own).items():
        if len(named) == 1 and (module_id, exercise_name) in failed:
            [(mistake, why)] = named.items()
            grade.mistakes.append(mistake)
            grade.notes.append(f"Recognized in {exercise_name}: {mistake.name}.{why}")
