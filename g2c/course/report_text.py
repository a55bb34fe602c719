"""The lines of a report, "Label:      text", wrapped for a terminal so that the text stays in its column."""

import textwrap

LABEL_COLUMN = 12
PRINTED_LINES = 5
"""How many lines that the failing code printed are shown."""
LABEL_WIDTH = len("You may have thought")


def split_label(line: str) -> tuple[str, str]:
    """The label of a report's line, with its colon, and the rest; "" for a line without a label.

    >>> split_label("Expected:   [1, 2]")
    ('Expected:', '   [1, 2]')
    >>> split_label("_merge is not written yet")
    ('', '_merge is not written yet')
    """
    label, colon, rest = line.partition(":")
    is_label = colon and 0 < len(label) <= LABEL_WIDTH and label[0].isupper() and rest.startswith(" ")
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
