"""What passes between `g2c grade` and the test runner: tasks, and the lines that a run writes.

The lines are those of `pytest --course-report` (g2c.course.testing.record), in which the record of a test has two more
fields, and two others:

    {"note": text, "hidden": false, "forgiven": false}    what the run showed, of the instructor's own tests for them
                                        alone; and whether the file was graded all the same
    {"finished": true}                  the last line: whether every test has ended

Texts in them may come from a submission: the runner takes out what does something when it is shown, and whoever reads
the lines checks their types and sizes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from g2c.course.testing.record import Collected, TestRecord, read_as
from g2c.grading.wall import SandboxSettings

MAX_NOTES, MAX_NOTE = 20, 300
"""How many sentences are noted about a submission, and characters of each."""

_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What colors a terminal, moves its cursor, or turns the direction of writing; and halves of characters."""


def plain_text(text: str) -> str:
    """Return the text with one kind of line ends, and a sign in place of characters that do something when shown.

    >>> plain_text("a\\r\\nb \\x1b[2J")
    'a\\nb �[2J'
    """
    return _CONTROLS.sub("\ufffd", _LINE_ENDS.sub("\n", text))


def plain_line(text: str) -> str:
    """Do the same, in one line.

    >>> plain_line("Ada\\nLovelace")
    'Ada Lovelace'
    """
    return " ".join(plain_text(text).splitlines())


def add_note(notes: list[str], sentence: str) -> bool:
    """Add a sentence about a submission, unless it is there already or there are too many. Whether it was added."""
    sentence = plain_line(sentence)[:MAX_NOTE]
    is_new = sentence not in notes and len(notes) < MAX_NOTES
    notes += [sentence] if is_new else []
    return is_new


@dataclass(frozen=True)
class Task:
    """A submission to run the tests on."""

    report: Path
    """The file for the lines."""
    seconds: float
    """Time limit of the run, by the clock."""
    modules: tuple[str, ...]
    """IDs of the modules that are graded; the others use the answer key."""
    explains: bool
    """Whether failures are explained."""
    hidden: Path | None
    """Folder of the instructor's own tests."""
    sandbox: SandboxSettings
    """What the student's code may use."""
    key: SandboxSettings
    """What the answer key's code may use. Students' code may read nothing of it."""


@dataclass(frozen=True)
class GradedRecord(TestRecord):
    """How one test of a submission ended."""

    with_key: tuple[str, ...] = ()
    """The exercises for which the answer key's code was used."""
    noted: bool = False
    """Whether a note says why it failed: the file cannot be imported, which all tests say."""


@dataclass(frozen=True)
class Note:
    """A sentence on a submission."""

    note: str
    hidden: bool = False
    forgiven: bool = False


@dataclass(frozen=True)
class Run:
    """What a run has shown of a submission."""

    collected: tuple[Collected, ...] = ()
    tests: tuple[GradedRecord, ...] = ()
    not_loaded: tuple[TestRecord, ...] = ()
    """Files of tests that cannot be run."""
    notes: tuple[Note, ...] = ()
    finished: bool = False

    @classmethod
    def of(cls, lines: Iterable[Mapping[str, Any]]) -> Self:
        """Read the lines of a run."""
        lines = list(lines)
        return cls(
            collected=tuple(read_as(Collected, line) for line in lines if "collected" in line),
            tests=tuple(read_as(GradedRecord, line) for line in lines if "test" in line),
            not_loaded=tuple(read_as(TestRecord, line["not loaded"]) for line in lines if "not loaded" in line),
            notes=tuple(read_as(Note, line) for line in lines if "note" in line),
            finished=any(line.get("finished") is True for line in lines),
        )
