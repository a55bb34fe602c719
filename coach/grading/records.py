"""Defines the data between `g2c grade` and an examiner: its task, and the lines that a run writes.

These are the lines of `pytest --course-report` (coach.testing.record) and two others: `{"note": …}`, the fields of
a `Note`, and at last `{"finished": …}`, whether every test has ended. Texts may come from a submission, so the examiner
cuts and cleans them, and `Run.of` checks types.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from coach.exercises import Module
from coach.grading.wall import Wall
from coach.testing.record import Collected, TestRecord, read_as

MAX_NOTES, MAX_NOTE = 20, 300
"""Notes on a submission, and characters in a note."""

_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that color a terminal, move its cursor or change the direction of writing, and surrogates."""


def plain_text(text: str) -> str:
    """Return the text with one kind of line ends, and with a sign in place of control characters.

    >>> plain_text("a\\r\\nb \\x1b[2J")
    'a\\nb �[2J'
    """
    return _CONTROLS.sub("\ufffd", _LINE_ENDS.sub("\n", text))


def plain_line(text: str) -> str:
    """Return the text in one line, without control characters.

    >>> plain_line("Ada\\nLovelace")
    'Ada Lovelace'
    """
    return " ".join(plain_text(text).splitlines())


def add_note(notes: list[str], sentence: str) -> bool:
    """Add a note, unless it is there already or there are too many. Return whether it was added."""
    sentence = plain_line(sentence)[:MAX_NOTE]
    is_new = sentence not in notes and len(notes) < MAX_NOTES
    notes += [sentence] if is_new else []
    return is_new


@dataclass(frozen=True)
class Task:
    """Tells an examiner to run the tests on a submission."""

    folder: Path
    """The examiner's own, which the submission cannot read."""
    course: Path
    """A copy of the course with the submitted files."""
    wall: Wall
    modules: tuple[str, ...]
    """IDs of the graded modules, the same in each task of a session."""
    runs: tuple[tuple[str, ...], ...]
    """Tests of the course, by file or class. pytest runs those in each tuple together."""
    hidden: Path | None = None
    """The folder of hidden tests, if they run, too."""

    @property
    def report(self) -> Path:
        return self.folder / "records"


@dataclass(frozen=True)
class Note:
    """Notes something on a submission. A hidden note is for the instructor alone; a forgiven fault costs points."""

    note: str
    hidden: bool = False
    forgiven: bool = False


@dataclass
class Run:
    """Sorts the lines of a run by kind."""

    collected: list[Collected] = field(default_factory=list)
    tests: list[TestRecord] = field(default_factory=list)
    again: list[tuple[tuple[str, ...], list[TestRecord]]] = field(default_factory=list)
    """For each exercise that was tested again: the exercises with the answer key's code, and the tests."""
    not_loaded: list[TestRecord] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    finished: bool = False

    @classmethod
    def of(cls, lines: Iterable[Mapping[str, Any]]) -> Self:
        run = cls()
        for line in lines:
            if "test" in line:
                run.tests.append(read_as(TestRecord, line))
            elif "note" in line:
                run.notes.append(read_as(Note, line))
            elif "collected" in line:
                run.collected.append(read_as(Collected, line))
            elif "not loaded" in line:
                run.not_loaded.append(read_as(TestRecord, line["not loaded"]))
            run.finished = run.finished or line.get("finished") is True
        return run

    def failed(self, module: Module) -> list[TestRecord]:
        """Return the tests of a module that failed."""
        return [one for one in self.tests if one.outcome == "failed" and one.test.startswith(f"{module.suite}::")]


def passed(tests: Iterable[TestRecord]) -> set[str]:
    """Return the tests that passed, and did not fail when they were torn down."""
    results = [(one.test, one.outcome == "passed") for one in tests]
    return {test for test, _ in results}.difference(test for test, is_passed in results if not is_passed)
