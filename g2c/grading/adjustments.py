"""What an instructor decides about marks: points in place of the computed ones, and what lateness costs.

A file overrides.toml in the folder of the reports is read in every call, and never written:

    [students."Ada Lovelace"]
    points = 92            # in place of the computed points
    late = false           # in place of what the platform says
    reason = "showed in the exercise class that encode is understood"
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.grading.marks import Grade
from g2c.grading.submissions import Submission

FILE = "overrides.toml"
KEYS = {"points", "late", "reason"}


@dataclass(frozen=True)
class Override:
    """What is decided about a student; None for what is not."""

    points: Fraction | None = None
    late: bool | None = None
    reason: str = ""


def read_overrides(path: Path, names: Collection[str]) -> dict[str, Override]:
    """Student -> what the file decides; empty where there is no such file.

    Args:
        path: the file.
        names: all students.

    Raises:
        CourseError: the file is not valid TOML, differs from the form above, or names somebody who handed in nothing.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    students = content.pop("students", {})
    if content or not isinstance(students, dict):
        raise CourseError(f'{path} must consist of tables such as [students."Ada Lovelace"].')
    unknown = sorted(students.keys() - set(names))
    if unknown:
        raise CourseError(f"{path} names {unknown[0]!r}, but no submission has this name.")
    return {name: _override(path, name, entry) for name, entry in students.items()}


def _override(path: Path, name: str, entry: Any) -> Override:
    where = f"{path}, student {name!r}"
    if not isinstance(entry, dict) or set(entry) - KEYS:
        raise CourseError(f"{where}: the possible keys are {', '.join(sorted(KEYS))}.")
    points, late, reason = entry.get("points"), entry.get("late"), entry.get("reason", "")
    is_number = isinstance(points, (int, float)) and not isinstance(points, bool)
    if points is not None and not (is_number and 0 <= points < inf):
        raise CourseError(f"{where}: points must be a number from 0 on, but is {points!r}.")
    if late is not None and not isinstance(late, bool):
        raise CourseError(f"{where}: late must be true or false, but is {late!r}.")
    if not isinstance(reason, str):
        raise CourseError(f"{where}: reason must be text, but is {reason!r}.")
    return Override(None if points is None else Fraction(str(points)), late, reason)


def adjust(
    grades: Sequence[Grade],
    submissions: Mapping[str, Submission],
    overrides: Mapping[str, Override],
    late_percent: float,
) -> set[str]:
    """Apply the overrides, and take `late_percent` of the points off late submissions. Each becomes a note.

    Args:
        grades: modified in place.
        submissions: student -> what was handed in.
        overrides: see `read_overrides`.
        late_percent: 0 to 100.

    Returns:
        the names of those who were late.
    """
    late = set()
    for grade in grades:
        override = overrides.get(grade.name, Override())
        submission = submissions[grade.name]
        if submission.is_late if override.late is None else override.late:
            late.add(grade.name)
            grade.late_percent = late_percent
            grade.notes.append("Handed in late." + (f" {late_percent:g} % are taken off." if late_percent else ""))
        if override.points is not None:
            grade.override = override.points
        if override.points is not None or override.reason:
            grade.notes.append(f"Decided by the instructor: {override.reason or 'the points'}")
    return late
