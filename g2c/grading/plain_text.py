"""Text from submissions, as reports, tables and the terminal show it."""

import re

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
