"""Writes a report for each student, and the tables of a class.

FOLDER/students/NAME/report.md          for the student; hidden tests only as points
FOLDER/students/NAME/grade.json         the same for other platforms
FOLDER/grades.csv                       one line per student
FOLDER/moodle.csv, canvas.csv           the points for import, if the submissions come from there
FOLDER/moodle.zip, canvas.zip           the reports for the platform to give out
FOLDER/earlier/TIME/                    what the run at this time has replaced
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from coach.common.course_file import PROGRAM
from coach.common.files import write_file
from coach.grading.boundary import NotImported
from coach.grading.marks import HIDDEN, Grade, GroupMark
from coach.grading.names import Account, shown
from coach.grading.submissions import Submission

RowsByStudent = dict[str, list[str]]
"""Student -> the cells of a row of grades.csv; "" -> the titles."""

SHOWN_FAILURES = 3
SHOWN_LINES = 14


class ReportFolder:
    """The folder of reports. What a run replaces is kept in a folder that is named after the time of the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.earlier = folder / "earlier" / datetime.now().strftime("%Y-%m-%d-%H%M%S")
        self._written: set[str] = set()

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file, whatever characters a submission has put into it, and keep what another run has written."""
        path, data = self.folder / name, _encoded(content) if isinstance(content, str) else content
        if name not in self._written and path.is_file() and (before := path.read_bytes()) != data:
            write_file(self.earlier / name, [before])
        self._written.add(name)
        write_file(path, [data])

    def rows(self, points: Sequence[str], students: Collection[str] = ()) -> RowsByStudent:
        """Read the rows of grades.csv; only the titles if it has other columns or another program has changed its form.

        `points`: the titles of the columns with points. `students`: whose rows are read; everybody's without one.
        """
        table = {"": ["student", "score", "possible", "percent", *points, "notes", "worth a look"]}
        with suppress(OSError, ValueError, csv.Error):
            with (self.folder / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
                titles, *rows = csv.reader(file)
            kept = ({str(_cell(name)) for name in students} or {row[0] for row in rows if row}) - {""}
            table |= {row[0]: row for row in rows if titles == table[""] and row and row[0] in kept}
        return table


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="replace")


def rounded(points: Fraction) -> float:
    """Round points to two decimals.

    >>> rounded(Fraction(20, 3))
    6.67
    """
    return round(float(points), 2)


def format_points(points: Fraction) -> str:
    """Write points as text.

    >>> format_points(Fraction(15)), format_points(Fraction(20, 3))
    ('15', '6.67')
    """
    return f"{rounded(points):g}"


# --- one student ------------------------------------------------------------------------------------------------------


def report(grade: Grade) -> str:
    """Write the student's report in Markdown."""
    points = f"{format_points(grade.score)} of {format_points(grade.possible)} points"
    parts = [f"# {markdown_line(grade.name)}", markdown_line(grade.wall)]
    parts.append(f"**{points if grade.is_graded else 'Not graded'}**")
    parts.append("\n".join(f"- {markdown_line(note)}" for note in grade.notes))
    rows = ["| module | part | points | tests passed |", "|---|---|---|---|"]
    sections = []
    for mark in grade.groups:
        hidden = mark.group.module_id == HIDDEN
        name, part = ("hidden tests", "") if hidden else (mark.group.module_id, mark.group.shown)
        points = f"{format_points(mark.points)} of {format_points(mark.group.points)}"
        remark = f". {markdown_line(mark.remark)}" if mark.remark and not hidden else ""
        rows.append(f"| {name} | {part} | {points} | {mark.passed} of {len(mark.group.nodes)}{remark} |")
        sections += [] if hidden else _failures(mark)
    rows += [f"| | forgiven | -{format_points(grade.deducted)} | |"] if grade.deducted else []
    parts += ["\n".join(rows)] if any(mark.passed for mark in grade.groups) else []
    return "\n\n".join(filter(None, [*parts, *sections])) + "\n"


def told(mark: GroupMark) -> list[tuple[str, str]]:
    """Return the name of each failed test, and the first lines of its report without the mistake, which is a guess.

    Tests without a report are left out, and those whose failure a note explains.
    """
    found = []
    for node, record in mark.failures:
        if record and record.report and record.error != NotImported.__name__:
            lines = str(replace(record.report, mistake=None)).strip().splitlines()
            found.append((node.split("::", 2)[-1], "\n".join(line[:300] for line in lines[:SHOWN_LINES])))
    return found


def _failures(mark: GroupMark) -> list[str]:
    """Write a section with the first failures."""
    failures = told(mark)
    if not failures:
        return []
    parts = [f"## {mark.group.shown}"]
    for node in (node for node, _ in mark.failures if node in mark.group.free):
        name = node.split("::", 2)[-1]
        parts.append(f"{name} can pass without work and earns nothing. Because it fails, it counts as one more test.")
    for name, text in failures[:SHOWN_FAILURES]:
        parts += [f"`{name}`", markdown_block(text)]
    if len(failures) > SHOWN_FAILURES:
        parts.append(f"{len(failures) - SHOWN_FAILURES} more of these tests failed.")
    return parts


def grade_json(grade: Grade) -> str:
    """Write the grade as JSON, whose fields docs/grading.md describes."""
    exercises: dict[str, list[GroupMark]] = {}
    for mark in grade.groups:
        is_hidden = mark.group.module_id == HIDDEN
        name = "hidden tests" if is_hidden else mark.group.column
        exercises.setdefault(name, []).append(mark)
    content = {
        "student": grade.name,
        "points": rounded(grade.score) if grade.is_graded else None,
        "possible": rounded(grade.possible),
        "exercises": [
            {
                "name": name,
                "points": rounded(sum((mark.points for mark in marks), Fraction(0))),
                "possible": rounded(sum((mark.group.points for mark in marks), Fraction(0))),
                "messages": [message for mark in marks for message in _messages(mark)],
            }
            for name, marks in exercises.items()
        ],
        "messages": [grade.wall, *grade.notes],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _messages(mark: GroupMark) -> list[str]:
    """Return what a student reads on a group: why its points differ, and the first failures."""
    if mark.group.module_id == HIDDEN:
        return []
    return [*filter(None, [mark.remark]), *map("\n".join, told(mark)[:SHOWN_FAILURES])]


# --- tables -----------------------------------------------------------------------------------------------------------


def titles_of(grades: Sequence[Grade]) -> list[str]:
    """Return the module and exercise of each column of points."""
    return list(dict.fromkeys(title for grade in grades for title in grade.by_title()))


def class_table(grades: Sequence[Grade], before: RowsByStudent) -> str:
    """Write the class as CSV: one line per student, one column per exercise. Rows `before` of other students stay."""
    rows: dict[str, Sequence[object]] = {**before}
    for grade in grades:
        points = grade.by_title()
        numbers = [rounded(grade.score), rounded(grade.possible), round(grade.percent, 1)]
        numbers += [rounded(points[title]) for title in before[""][4:-2]]
        cells = numbers if grade.is_graded else [""] * len(numbers)
        rows[str(_cell(grade.name))] = [grade.name, *cells, " ".join(grade.notes), " ".join(grade.suspicions)]
    return csv_table(rows.values())


def graded_again(grade: Grade, before: RowsByStudent) -> str:
    """Return a note for a grade that differs from the one in the rows before; "" for any other."""
    [score] = before.get(str(_cell(grade.name)), [])[1:2] or [""]
    # A spreadsheet writes 100 for 100.0.
    is_other = grade.is_graded and re.fullmatch(r"\d+(\.\d+)?", score) and float(score) != rounded(grade.score)
    return f"Graded again: {score} points before." if is_other else ""


# --- texts as Markdown and CSV ----------------------------------------------------------------------------------------


def markdown_line(text: str) -> str:
    """Write a text in one line of Markdown, and escape what would format it."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))


def markdown_block(text: str) -> str:
    """Write a Markdown code block, with more backticks around it than any run of them inside."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    backticks = "`" * max(longest + 1, 3)
    return f"{backticks}text\n{text}\n{backticks}"


def csv_table(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV, safe to open in a spreadsheet."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    """Change a value that a spreadsheet would treat as a formula, even after a separator in it or in full width.

    >>> _cell("=1+1"), _cell("a;=1+1"), _cell("-"), _cell("\uff1d1")
    ("'=1+1", 'a; =1+1', '-', "'＝1")
    """
    if not isinstance(value, str) or value == "-":
        return value
    value = re.sub(r"([;\t])(?=[=+@\uff1d\uff0b\uff20\uff0d-])", r"\1 ", value)
    return f"'{value}" if re.match("[=+@\t\uff1d\uff0b\uff20\uff0d-]", value) else value


# --- for the platforms ------------------------------------------------------------------------------------------------


def platform_files(marked: Iterable[tuple[Grade, Submission]], *, gives_back: bool) -> dict[str, bytes]:
    """Return file name -> content, for each learning platform that a submission comes from: its table, and the zip that
    gives back the reports.

    moodle.csv is a grading worksheet. Its importer needs the identifier, the grade and the date of the last change
    under these names: https://github.com/moodle/moodle, mod/assign/feedback/offline/importgradeslib.php. canvas.csv is
    a gradebook. Its importer needs "Student", "ID" and "Section" at these places, and reads each later column as an
    assignment: https://github.com/instructure/canvas-lms, lib/gradebook_importer.rb.
    """
    graded = [(grade, one, one.account) for grade, one in marked if grade.is_graded and one.account]
    ids = dict.fromkeys(mark.group.module_id for grade, *_ in graded[:1] for mark in grade.groups)
    moodle: list[list[object]] = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)"]]
    canvas: list[list[object]] = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{PROGRAM} {' '.join(ids)}"]
    ]
    # Moodle leaves out a grade that somebody has changed since this time, or at any time if there is none.
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for grade, _, account in graded:
        name, points = shown(account.name), rounded(grade.score)
        if account.platform == "moodle":
            moodle.append([f"Participant {account.number}", name, points, rounded(grade.possible), now])
        elif account.platform == "canvas":
            canvas.append([name, account.number, "", "", "", points])
    tables = {"moodle.csv": moodle, "canvas.csv": canvas}
    files = {name: _encoded(csv_table(rows)) for name, rows in tables.items() if len(rows) > 1}
    return files | (_returned(graded) if gives_back else {})


def _returned(graded: Iterable[tuple[Grade, Submission, Account]]) -> dict[str, bytes]:
    """Make the zips with which the platforms give students their reports.

    Moodle takes any file in a folder NAME_NUMBER_assignsubmission_file_, as in its download; an underscore in the name
    would shift the number: mod/assign/feedback/file/importziplib.php. Canvas takes files that are named as in its
    download, and shows them under the student's own file names: `infer_comment_context_from_filename` in
    app/models/assignment.rb.
    """
    moodle, canvas = dict[str, bytes](), dict[str, bytes]()
    for grade, submission, account in graded:
        text, file = _encoded(report(grade)), submission.marked_file
        if account.platform == "moodle":
            name = shown(account.name).replace("_", " ")
            moodle[f"{name}_{account.number}_assignsubmission_file_/report.md"] = text
        elif account.platform == "canvas" and file:
            if file.lower().endswith(".zip"):
                text = _zipped({"report.md": text})
            elif file.lower().endswith(".py"):
                text = b"".join(b"# " + line + b"\n" for line in text.splitlines())
                text += b"\n" + b"".join([*submission.files.values()][:1])
            canvas[file] = text
    return {f"{name}.zip": _zipped(files) for name, files in (("moodle", moodle), ("canvas", canvas)) if files}


def _zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()
