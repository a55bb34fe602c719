"""CSV that is safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable


def write_csv(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, safe to open in a spreadsheet."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return stream.getvalue()


def cell(value: object) -> object:
    """A value that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") and value != "-" else value
