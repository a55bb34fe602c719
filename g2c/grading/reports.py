"""The files that an instructor gets.

FOLDER/grades.csv                       one line per student
FOLDER/class.html                       what the class needs; see g2c.grading.class_report, also for its tables
FOLDER/students/NAME/report.md          for the student; hidden tests only as points
FOLDER/students/NAME/results.json       Gradescope's format
FOLDER/students/NAME/instructor.md      code that is worth a look; only if there is any
"""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from g2c.common.errors import SavingError
from g2c.common.files import saving, write_file
from g2c.grading.marks import HIDDEN, Grade
from g2c.grading.spreadsheets import write_csv
from g2c.grading.submissions import file_name

SHOWN_FAILURES = 3
SHOWN_LINES = 14
NO_POINTS = "tests without points of their own"
"""They pass on files that solve nothing, but where one fails the module is not complete."""


def write_reports(grades: list[Grade], folder: Path) -> None:
    """Write all reports of a class.

    Raises:
        SavingError: the folder cannot be written to.
    """
    try:
        for grade in grades:
            write_student_reports(grade, folder)
        _write(folder / "grades.csv", table(grades))
    except OSError as error:
        raise SavingError(f"The reports cannot be written to {folder}: {error.strerror or error}.") from None


def write_student_reports(grade: Grade, folder: Path) -> None:
    """Write the reports of one student.

    Raises:
        SavingError: the folder cannot be written to.
    """
    place = folder / "students" / file_name(grade.name)
    with saving(place):
        place.mkdir(parents=True, exist_ok=True)
        _write(place / "report.md", report(grade))
        _write(place / "results.json", json.dumps(results(grade), indent=2, ensure_ascii=False) + "\n")
        if grade.suspicions:
            lines = "".join(f"- {_inline(sentence)}\n" for sentence in grade.suspicions)
            _write(
                place / "instructor.md",
                f"# {_inline(grade.name)}\n\nWorth a look; no mark depends on it.\n\n{lines}",
            )
        else:
            (place / "instructor.md").unlink(missing_ok=True)


def rounded(points: Fraction) -> float:
    """Points with at most two decimals.

    >>> rounded(Fraction(20, 3))
    6.67
    """
    return round(float(points), 2)


def format_points(points: Fraction) -> str:
    """Points as text.

    >>> format_points(Fraction(15)), format_points(Fraction(20, 3))
    ('15', '6.67')
    """
    return f"{rounded(points):g}"


# --- one student ------------------------------------------------------------------------------------------------------


def report(grade: Grade) -> str:
    """The student's report in Markdown."""
    lines = [
        f"# {_inline(grade.name)}",
        "",
        f"**{format_points(grade.score)} of {format_points(grade.possible)} points**",
        "",
    ]
    if grade.notes:
        lines += [*(f"- {_inline(note)}" for note in grade.notes), ""]
    lines += ["| module | part | points | tests passed |", "|---|---|---|---|"]
    for mark in grade.groups:
        name = "hidden tests" if mark.group.module_id == HIDDEN else mark.group.module_id
        part = "" if mark.group.module_id == HIDDEN else mark.group.shown
        points = f"{format_points(mark.points)} of {format_points(mark.group.points)}"
        if mark.group.is_notebook and not mark.group.points:
            points = "counts nothing"
        remark = f". {_inline(mark.remark)}" if mark.remark and mark.group.module_id != HIDDEN else ""
        lines.append(f"| {name} | {part} | {points} | {mark.passed} of {mark.counted}{remark} |")
    for mark in grade.groups:
        if mark.failures and mark.group.module_id != HIDDEN:
            lines += ["", f"## {mark.group.shown}", "", *_failures(mark.failures)]
        if mark.elsewhere:
            lines += ["", f"## {mark.group.module_id}: {NO_POINTS}", "", *_failures(mark.elsewhere)]
    if grade.printed:
        lines += ["", "## Output of the code, from the beginning", "", _block(grade.printed)]
    return "\n".join(lines) + "\n"


def _failures(failures: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for node, message in failures[:SHOWN_FAILURES]:
        lines += [f"`{node.split('::', 2)[-1]}`", "", _block(_cut(message)), ""]
    more = len(failures) - SHOWN_FAILURES
    if more > 0:
        lines.append(f"{more} more of these tests failed.")
    return lines


def _cut(message: str) -> str:
    lines = message.strip().splitlines()
    return "\n".join(line[:300] for line in lines[:SHOWN_LINES])


def _block(text: str) -> str:
    """A Markdown code block, with more backticks around it than any run of them inside."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    backticks = "`" * max(longest + 1, 3)
    return f"{backticks}text\n{text}\n{backticks}"


def _inline(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))


def results(grade: Grade, *, hidden_visibility: str = "hidden") -> dict[str, Any]:
    """Gradescope's results.json."""
    tests = []
    for number, mark in enumerate(grade.groups, start=1):
        hidden = mark.group.module_id == HIDDEN
        output = "\n\n".join(
            f"{node.split('::', 2)[-1]}\n{_cut(text)}"
            for failures in (mark.failures, mark.elsewhere)
            for node, text in failures[:SHOWN_FAILURES]
        )
        tests.append(
            {
                "name": f"{mark.group.module_id} {mark.group.shown}",
                "number": str(number),
                "score": rounded(mark.points),
                "max_score": rounded(mark.group.points),
                "status": "failed" if mark.failures or mark.withheld else "passed",
                "visibility": hidden_visibility if hidden else "visible",
                "output": f"{mark.passed} of {mark.counted} tests passed. {mark.remark}\n{output}".strip(),
                "output_format": "text",
            }
        )
    return {
        "score": rounded(grade.score),
        "output": "\n".join(grade.notes) or "All tests have run.",
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }


# --- the class --------------------------------------------------------------------------------------------------------


def table(grades: list[Grade]) -> str:
    """The class as CSV: one line per student, one column per exercise."""
    titles = list(dict.fromkeys(title for grade in grades for title in grade.by_title()))
    names = [f"{module_id} {title}" for module_id, title in titles]
    notebooks = list(dict.fromkeys(module_id for grade in grades for module_id in grade.notebooks))
    names += [f"{module_id} notebook answers" for module_id in notebooks]
    rows: list[list[object]] = [["student", "score", "possible", "percent", *names, "seconds", "notes", "worth a look"]]
    for grade in grades:
        points = grade.by_title()
        percent = round(100 * float(grade.score / grade.possible), 1) if grade.possible else 0.0
        row: list[object] = [grade.name, rounded(grade.score), rounded(grade.possible), percent]
        row += [rounded(points[title][0]) for title in titles]
        row += [right_answers(grade, [module_id]) for module_id in notebooks]
        row += [round(grade.seconds, 1), " ".join(grade.notes), " ".join(grade.suspicions)]
        rows.append(row)
    return write_csv(rows)


def right_answers(grade: Grade, module_ids: Sequence[str]) -> str:
    """How many answers of these notebooks are right: "10 of 12"; "" where none were checked."""
    marks = [grade.notebooks[module_id] for module_id in module_ids if module_id in grade.notebooks]
    return f"{sum(mark.passed for mark in marks)} of {sum(mark.counted for mark in marks)}" if marks else ""


def _write(path: Path, text: str) -> None:
    write_file(path, [text.encode("utf-8", errors="replace")])
