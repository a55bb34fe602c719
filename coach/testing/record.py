"""Keeps the results of a test run as data: a `TestRecord` for each test, and the lines of JSON that a run writes.

`pytest --course-report FILE` writes each line as soon as possible:

    {"collected": ID, "core": true, …}         a test that will run: the fields of `Collected`
    {"started": ID}                            a test begins; if no line says that it ended, it ended the process
    {"test": ID, "outcome": "passed", …}       a test has ended: the fields of `TestRecord`
    {"not loaded": {"test": FILE, …}}          a suite cannot be imported: fields as for a test

"report" has the fields of a `Report`, with "mistake" as an object; "code" is a list of {"place", "lines"}. A place is
in the student's code: {"function", "file", "line"}. Files are relative to the repository, and lines count from 1.
Unknown fields are empty or null. So

    {"test": "tests/test_tokenizer.py::TestMerge::test_overlap", "outcome": "failed", "seconds": 0.002,
     "report": {"called": "tokenizer._merge([1, 1, 1], (1, 1), 99)", "came": "[99]", "expected": "[99, 1]",
                "mistake": {"name": "the last ID is lost", "why": "…", …}, …}, …}

is all that a screen, a page or an editor needs to know about a failure. Grading adds lines; see coach.grading.records.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from coach.testing.report import Report
from coach.testing.report import TestRecord as TestRecord
from coach.testing.report import group_of as group_of

PRINTED_ROWS, PRINTED_COLUMNS = 1000, 200


@dataclass(frozen=True)
class Collected:
    """Names a test that a run has collected."""

    collected: str
    core: bool = False
    points: float | None = None
    """The points that the marker `points` gives it, or gives the class whose tests share them."""
    shared_by: str = ""
    """The node with that marker."""


def as_json(value: Any) -> Any:
    """Turn a dataclass, such as a TestRecord, into JSON."""
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    return [*map(as_json, value)] if isinstance(value, tuple) else value


_types = cache(get_type_hints)


def read_as(kind: Any, value: Any) -> Any:
    """Read a dataclass, such as a TestRecord, from the JSON of `as_json`, whoever wrote it.

    Raises:
        ValueError: a field is unknown, missing or of another type.
    """
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        types = _types(kind)
        if value.keys() <= types.keys():
            with suppress(TypeError):  # A field is missing.
                return kind(**{name: read_as(types[name], part) for name, part in value.items()})
    elif NoneType in (choices := get_args(kind)):
        return None if value is None else read_as(choices[0], value)
    elif Ellipsis in choices and isinstance(value, (list, tuple)):
        return tuple(read_as(choices[0], item) for item in value)
    elif kind is float and type(value) in (int, float) or kind in (str, int, bool) and type(value) is kind:
        return value
    raise ValueError(f"a record has {value!r:.50} where {kind} belongs")


def record_of(report: Any) -> TestRecord:
    """Return the record of a test, or of a suite that could not be loaded, from one of pytest's reports.

    The plugin attaches the record of a failure as `course_record`, in JSON, which reports may send between processes.
    """
    plain = TestRecord(report.nodeid, report.outcome, round(getattr(report, "duration", 0.0), 3))
    if not report.failed:
        return plain
    if hasattr(report, "course_record"):
        record: TestRecord = read_as(TestRecord, report.course_record)
    else:
        record = replace(plain, report=Report(message=report.longreprtext))
    printed = "\n".join(line[:PRINTED_COLUMNS] for line in report.capstdout.splitlines()[:PRINTED_ROWS])
    return replace(record, seconds=plain.seconds, printed=printed)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read the lines that a run has written so far. The last one may be incomplete."""
    lines = []
    with suppress(FileNotFoundError, ValueError), path.open(encoding="utf-8") as file:
        for line in file:
            lines.append(json.loads(line))
    return lines
