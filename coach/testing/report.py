"""Defines the report of a failed test as data, and the rows in which every screen shows it.

A report is made once, when a check fails or student code raises an error. It travels as data in a `TestRecord`.
Notebooks and marks show it with `report_rows`; pytest, `g2c`, `g2c watch` and the page show `next_step`. Its lines:

    Called:     tokenizer._get_pair_counts([1, 2, 3])
    Tokenizer:  no merges, no special tokens, no pattern
    Came back:  {(1, 2): 1, (2, 3): 1, (3, 1): 1}
    Expected:   {(1, 2): 1, (2, 3): 1}
    Mistake:    n pairs instead of n - 1. The last ID has no neighbor after it: stop one ID earlier.
    You may have thought: I go through all positions and look at the ID there and the one after it.
    Idea:       Three IDs in a row have two pairs of neighbors.
    Read:       docs/04-pitfalls.md#pitfall-pair-count
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coach.common.course_file import PROGRAM
from coach.exercises import module_of

LABEL_COLUMN = 12
LINE_WIDTH = 240
"""The longest line, in characters: two or three lines of a terminal."""
PRINTED_LINES = 5
THOUGHT = "You may have thought"

NO_SECTION = ""
"""In place of a pitfall: no section of a handout explains this mistake, for instance a misspelled name."""


@dataclass(frozen=True)
class Mistake:
    """Names a mistake. `why` is one or two sentences. `pitfall` names the section of the handout that explains it; with
    None the test chooses the section, and with NO_SECTION there is none."""

    name: str
    why: str
    pitfall: str | None = None
    thought: str = ""
    """The thought of a student who makes this mistake, in the first person."""
    alternatives: tuple[str, ...] = ()
    """Other mistakes with the same outcome."""


@dataclass(frozen=True)
class Place:
    """Names a line inside a function of an exercise file."""

    function: str
    """Empty for code outside a function."""
    file: str
    """Relative to the repository."""
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True)
class Excerpt:
    """Shows the student's code up to a place: the last line raised an error."""

    place: Place
    lines: tuple[str, ...]
    column: int | None = None
    """The position of a syntax error in the last line, counted from 0."""

    def rows(self, *, brief: bool = False) -> list[str]:
        """Return the numbered lines below the place, the last one marked. `brief`: the last line alone."""
        first = self.place.line - len(self.lines) + 1
        numbered = [f"  {number:>4}  {text}" for number, text in enumerate(self.lines, first)]
        numbered[-1] = f">{numbered[-1][1:]}"
        if brief:
            return numbered[-1:]
        if self.column is not None:
            before = self.lines[-1][: self.column]
            numbered.append(f"{'':8}{''.join(each if each.isspace() else ' ' for each in before)}^")
        return [f"{self.place}, in {self.place.function}:", *numbered] if self.place.function else numbered


@dataclass(frozen=True)
class Report:
    """Explains a failed test. Each text is one line, or empty."""

    headline: str = ""
    message: str = ""
    """Text above the lines with labels, or instead of them, of any number of lines: "_merge is not written yet"."""
    called: str = ""
    noun: str = ""
    """The class of the object whose method was called, in one word: "Tokenizer"."""
    state: str = ""
    part: str = ""
    """What the test looked at, such as "tokenizer.merges"; empty for the returned value."""
    afterwards: bool = False
    """Whether the part is what the call left, such as an attribute; otherwise it is a part of the returned value."""
    came: str = ""
    """The value that was returned or found there, or the error that was raised."""
    expected: str = ""
    difference: str = ""
    mistake: Mistake | None = None
    idea: str = ""
    where: str = ""
    """The place of an error that was raised outside a call of a test."""
    page: str = ""
    pitfall: str = ""
    """The section of that page on this mistake, if there is one."""
    hint: str = ""

    def lines(self) -> list[tuple[str, str]]:
        """Return the label and the text of each line; the label is empty for lines of the message.

        >>> Report(mistake=Mistake("the last ID is lost", "Copy it.", alternatives=("a pair is lost",))).lines()
        [('Mistake', 'the last ID is lost (or: a pair is lost). Copy it.')]
        """
        came = said_of(self.part, self.came) if self.part else self.came
        mistake = self.mistake or Mistake("", "")
        others = f" (or: {', or '.join(mistake.alternatives)})" if mistake.alternatives else ""
        section = f"pitfall-{self.pitfall}" if self.pitfall else "pitfalls"
        labeled = [
            ("Called", self.called),
            (self.noun, self.state),
            ("Afterwards" if self.afterwards else "Came back", came),
            ("Expected", self.expected),
            ("Difference", self.difference),
            ("Mistake", f"{mistake.name}{others}. {mistake.why}".rstrip() if self.mistake else ""),
            (THOUGHT, mistake.thought),
            ("Idea", self.idea),
            ("Where", self.where),
            ("Read", f"{self.page}#{section}" if self.page else ""),
            ("Hint", self.hint),
        ]
        message = [("", line) for line in self.message.rstrip().splitlines()]
        return message + [(label, one_line(text)) for label, text in labeled if text]

    def __str__(self) -> str:
        return "\n".join(label + text for label, text, _ in report_rows(self))


def never_returned(where: str) -> Report:
    """Report a test whose process was ended because nothing could interrupt it. `where` is such as ", in encode"."""
    why = "One of Python's own functions, such as sum, never comes to an end."
    came = "nothing: it did not return, and nothing could interrupt it"
    return Report(came=f"{came}{where}", mistake=Mistake("a call never returns", why))


def ended_program(how: str, where: str) -> Report:
    """Report a test that ended its process, with "exit code 1" or by a signal."""
    mistake = Mistake("the code ends the whole program, as os._exit does, or it crashes Python", "")
    return Report(came=f"nothing: the whole program ended, with {how}{where}", mistake=mistake)


def said_of(part: str, value: str) -> str:
    """Say what a part is: with "is" if the part is code, and with a colon if it is described in words.

    >>> said_of("tokenizer.merges", "{}"), said_of("the two shapes", "[(1,), (2,)]")
    ('tokenizer.merges is {}', 'the two shapes: [(1,), (2,)]')
    """
    return f"{part}: {value}" if " " in part.partition("[")[0] else f"{part} is {value}"


class Row(NamedTuple):
    label: str
    """The emphasized beginning of the row; empty for most rows."""
    text: str
    is_mistake: bool = False
    """Whether the row belongs to the line "Mistake"."""


def report_rows(
    report: Report, code: Sequence[Excerpt] = (), printed: str = "", *, width: int | None = None, brief: bool = False
) -> list[Row]:
    """Return the rows of a screen: the code that failed, the report, and the text that the code printed.

    Lines of the report are wrapped at `width`, other lines are cut. `brief` omits the student's possible thought, and
    all code but the lines that raised the error.
    """
    excerpts = [line for excerpt in code for line in excerpt.rows(brief=brief)]
    rows = [Row("", cut(line, width) if width else line) for line in [*excerpts, *([""] if excerpts else [])]]
    for label, text in report.lines():
        if not (brief and label == THOUGHT):
            head = f"{label}:" if label else ""
            line = f"{head + ' ':<{LABEL_COLUMN}}{text}" if label else text
            first, *others = wrapped(line, width, LABEL_COLUMN if label else None) if width else [line]
            parts = [(head, first[len(head) :]), *(("", other) for other in others)]
            rows += [Row(*part, label == "Mistake") for part in parts]
    lines = printed.splitlines()
    if len(lines) > PRINTED_LINES:
        lines[PRINTED_LINES:] = [f"… lines left out: {len(lines) - PRINTED_LINES}; pytest -v shows them"]
    for number, line in enumerate(lines):
        head = "" if number else "Printed:"
        text = f"{'':{LABEL_COLUMN - len(head)}}{line}"
        rows.append(Row(head, cut(text, width - len(head)) if width else text))
    return rows


@dataclass(frozen=True)
class TestRecord:
    """Says how a test ended, for every screen; record.py stores and sends it as JSON."""

    __test__ = False

    test: str
    outcome: str
    """"passed", "failed" or "skipped"."""
    seconds: float = 0.0
    error: str = ""
    """The class of the error that a failed test ended with."""
    report: Report | None = None
    code: tuple[Excerpt, ...] = ()
    """The student's code that raised an error, the innermost last."""
    place: Place | None = None
    printed: str = ""

    @property
    def group(self) -> str:
        return group_of(self.test)

    @property
    def mistake(self) -> str:
        return self.report.mistake.name if self.report and self.report.mistake else ""

    @property
    def is_todo(self) -> bool:
        """Tell whether the test failed because code that it needs is not written yet."""
        return self.error == NotImplementedError.__name__ and self.place is not None

    def __str__(self) -> str:
        return "\n".join(label + text for label, text, _ in self.rows())

    def rows(self, *, width: int | None = None, brief: bool = False, room: int | None = None) -> list[Row]:
        """Return the rows of a screen, or their short form if there are more than `room`."""
        rows = report_rows(self.report or Report(), self.code, self.printed, width=width, brief=brief)
        return rows if room is None or len(rows) <= room else self.rows(width=width, brief=True)


def group_of(test: str) -> str:
    """Return the class of a test; "" for a test outside a class.

    >>> group_of("tests/test_tokenizer.py::TestMerge::test_overlap[a::b]")
    'TestMerge'
    """
    parts = test.partition("[")[0].split("::")
    return parts[1] if len(parts) > 2 else ""


def next_step(record: TestRecord, *, width: int | None = None, room: int | None = None) -> list[Row]:
    """Return the rows about the failure to fix first: the test, its report and, in the last row, what to do.

    Args:
        record: of a failed test, or of a suite that cannot be loaded.
        width, room: of the screen, in columns and rows; see `TestRecord.rows`.

    >>> print(*(label + text for label, text, _ in next_step(TestRecord("tests/test_x.py::TestX::test_x", "failed"))))
    FAILED tests/test_x.py::TestX::test_x next: fix this, save the file, and run the same command again
    """
    named = f"FAILED {record.test}" if "::" in record.test else ""
    head = [Row("", line, True) for line in (wrapped(named, width) if width else [named]) if line]
    return [*head, *record.rows(width=width, room=room), Row("next: ", what_to_do(record))]


def what_to_do(record: TestRecord) -> str:
    """Say in a clause what a student does about a failure."""
    if record.is_todo and record.place:
        return f"write {record.place.function}, in {record.place}"
    if "::" not in record.test and not record.error:
        return f"{PROGRAM} doctor"
    module = module_of(record.test)
    if module and (exercise := module.exercise_of(record.group)):
        return f"fix {exercise.name}; for a hint: {PROGRAM} hint {exercise.short_name}"
    return "fix this, save the file, and run the same command again"


def one_line(text: str) -> str:
    """Return a text without line breaks, cut to the longest line of a report."""
    return cut(" ".join(text.splitlines()), LINE_WIDTH)


def cut(text: str, width: int) -> str:
    """Return a text of at most `width` characters: the text, or its beginning and three dots."""
    return text if len(text) <= width else text[: width - 3] + "..."


def wrapped(line: str, width: int, indent: int | None = None) -> list[str]:
    """Split a line into lines of at most `width` characters, the later ones indented: by default like the first.

    >>> wrapped("Expected:   one two three", 24, 12)
    ['Expected:   one two', '            three']
    """
    if len(line) <= width:
        return [line]
    if indent is None:
        indent = len(line) - len(line.lstrip())
    if width < 2 * indent:
        indent = 0
    return textwrap.wrap(
        line, width, subsequent_indent=" " * indent, break_on_hyphens=False, replace_whitespace=False
    ) or [""]
