"""The report of a failed test as rows of a terminal: the code that failed, lines "Label:      text", printed lines."""

import textwrap
from typing import NamedTuple

LABEL_COLUMN = 12
ERROR_MARK = ">"
"""What the line that raised an error begins with, where code is shown."""
PRINTED_LINES = 5
"""How many lines that the failing code printed are shown."""
THOUGHT = "You may have thought:"


class Row(NamedTuple):
    label: str
    """What the row begins with, to be emphasized; "" for most rows."""
    text: str
    is_mistake: bool = False
    """Whether it belongs to the line "Mistake"."""


def report_rows(
    message: str, code: str = "", printed: str = "", *, width: int | None = None, brief: bool = False
) -> list[Row]:
    """The rows of a report.

    Args:
        message: the report's lines.
        code: the student's code that failed, its last line marked.
        printed: what the code printed.
        width: longer lines of the report are wrapped, those of code and printed ones cut; None leaves them whole.
        brief: leave out what the student may have thought, and of the code all but the marked lines.
    """
    lines = [line for line in code.splitlines() if not brief or line.startswith(ERROR_MARK)]
    rows = [Row("", cut(line, width) if width else line) for line in lines]
    if rows:
        rows.append(Row("", ""))
    for line in message.rstrip().splitlines():
        if not (brief and line.startswith(THOUGHT)):
            first, *others = wrapped(line, width) if width else [line]
            label, text = split_label(first)
            rows += [Row(label, text, label == "Mistake:"), *(Row("", other, label == "Mistake:") for other in others)]
    for number, line in enumerate(printed_lines(printed)):
        label, text = split_label(line) if number == 0 else ("", line)
        rows.append(Row(label, cut(text, width - len(label)) if width else text))
    return rows


def split_label(line: str) -> tuple[str, str]:
    """The label of a report's line, with its colon, and the rest; "" for a line without a label.

    >>> split_label("Expected:   [1, 2]")
    ('Expected:', '   [1, 2]')
    >>> split_label("_merge is not written yet")
    ('', '_merge is not written yet')
    """
    label, colon, rest = line.partition(":")
    is_label = colon and 0 < len(label) < len(THOUGHT) and label[0].isupper() and rest.startswith(" ")
    return (label + colon, rest) if is_label else ("", line)


def printed_lines(text: str) -> list[str]:
    """What code has printed, as lines of a report: the first few, and how many more there are.

    >>> printed_lines("seen 1\\nseen 2\\n")
    ['Printed:    seen 1', '            seen 2']
    """
    lines = text.splitlines()
    shown = lines[:PRINTED_LINES]
    if len(lines) > PRINTED_LINES:
        shown.append(f"… {len(lines) - PRINTED_LINES} more lines: pytest -v")
    labels = ["Printed:", *[""] * len(shown)]
    return [f"{label:<{LABEL_COLUMN}}{line}" for label, line in zip(labels, shown)]


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def wrapped(line: str, width: int) -> list[str]:
    """A line as lines of at most `width` characters. The later ones begin below the text of the first.

    >>> wrapped("Expected:   one two three", 24)
    ['Expected:   one two', '            three']
    """
    if len(line) <= width:
        return [line]
    indent = LABEL_COLUMN if split_label(line)[0] else len(line) - len(line.lstrip())
    if width < 2 * indent:
        indent = 0
    return textwrap.wrap(
        line, width, subsequent_indent=" " * indent, break_on_hyphens=False, replace_whitespace=False
    ) or [""]
