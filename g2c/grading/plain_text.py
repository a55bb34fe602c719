"""Text from submissions, as reports, tables, the terminal and spreadsheets show it."""

import csv
import io
import re
from collections.abc import Iterable

MAX_NOTES, MAX_NOTE = 20, 300
"""How many sentences are noted about a submission, and characters of each."""

_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What colors a terminal, moves its cursor, or turns the direction of writing; and halves of characters."""


def plain_text(text: str) -> str:
    """The text with one kind of line ends, and with a sign in the place of characters that do something when shown.

    >>> plain_text("a\\r\\nb \\x1b[2J")
    'a\\nb �[2J'
    """
    return _CONTROLS.sub("\ufffd", _LINE_ENDS.sub("\n", text))


def plain_line(text: str) -> str:
    """The same in one line.

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


def markdown_line(text: str) -> str:
    """A text in one line of Markdown, without what formats it."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))


def markdown_block(text: str) -> str:
    """A Markdown code block, with more backticks around it than any run of them inside."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    backticks = "`" * max(longest + 1, 3)
    return f"{backticks}text\n{text}\n{backticks}"


def csv_table(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, safe to open in a spreadsheet."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    """A value that a spreadsheet does not treat as a formula, even after a character that it treats as a separator.

    >>> _cell("=1+1"), _cell("a;=1+1"), _cell("-")
    ("'=1+1", 'a; =1+1', '-')
    """
    if not isinstance(value, str) or value == "-":
        return value
    value = re.sub(r"([;\t])(?=[=+@-])", r"\1 ", value)
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t") else value
