"""CSV that is safe to open in a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable


def write_csv(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, safe to open in a spreadsheet."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return stream.getvalue()


def cell(value: object) -> object:
    """A value that a spreadsheet does not take for a formula, also not behind what it takes for a border of cells.

    >>> cell("=1+1"), cell("a;=1+1"), cell("-")
    ("'=1+1", 'a; =1+1', '-')
    """
    if not isinstance(value, str) or value == "-":
        return value
    value = re.sub(r"([;\t])(?=[=+@-])", r"\1 ", value)
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t") else value
