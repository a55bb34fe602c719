"""What the class needs: class.html, one page without network, and mistakes.csv, tests.csv and similar.csv."""

import hashlib
import html
import statistics
import textwrap
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

from g2c.common.errors import SavingError
from g2c.common.files import write_file
from g2c.course.diagnosis import bank
from g2c.course.exercises import modules
from g2c.grading.marks import HIDDEN, Grade
from g2c.grading.platform_tables import platform_tables
from g2c.grading.reports import format_points, right_answers
from g2c.grading.similarity import ANSWER_KEY, Similar, similar_submissions
from g2c.grading.source_report import Source, source_of
from g2c.grading.spreadsheets import write_csv
from g2c.grading.submissions import Submission, file_name

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #666; --line: #ddd; --bar: #4477aa;
  --box: #f5f5f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #16181c; --soft: #a0a0a0; --line: #3a3d44;
  --bar: #77aadd; --box: #22252b; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: break-word; }
td:last-child { min-width: 9rem; } td.number, th.number { text-align: right; white-space: nowrap; min-width: 0; }
th { font-weight: 600; } .soft { color: var(--soft); }
pre { background: var(--box); padding: .5rem; margin: .3rem 0; overflow-x: auto; font-size: .85rem; }
.bars { display: flex; align-items: flex-end; gap: 2px; height: 8rem; }
.bars div { flex: 1; text-align: center; font-size: .75rem; }
.bars i { display: block; background: var(--bar); } blockquote { margin: .3rem 0; padding-left: .8rem;
  border-left: 3px solid var(--line); }
"""


@dataclass(frozen=True)
class Made:
    """A mistake that students made."""

    name: str
    """Module and mistake: "04: strict UTF-8"."""
    thought: str
    """What a student may have thought, from the mistake bank; "" for mistakes that are not in it."""
    lines: Mapping[str, tuple[str, ...]]
    """Student -> two lines of the function that the mistake is in; none where the bank does not know the function."""


def write_class_report(
    grades: Sequence[Grade],
    submissions: Mapping[str, Submission],
    late: Collection[str],
    folder: Path,
    *,
    anonymous: bool = False,
) -> None:
    """Write the page and the tables.

    Args:
        grades: of all students.
        submissions: student -> what was handed in, for the platforms' tables.
        late: who handed in late.
        folder: where to; it must exist.
        anonymous: put numbers in the place of names. The platforms' tables keep them.

    Raises:
        SavingError: the folder cannot be written to.
    """
    shown = _labels([grade.name for grade in grades], anonymous)
    made = mistakes_made(grades)
    same = similar_submissions(
        {grade.name: {file: source.functions for file, source in grade.sources.items()} for grade in grades}
    )
    nobody, everybody = tests_of_nobody_and_everybody(grades)
    files = {
        "class.html": page(grades, late, made, same, nobody, everybody, shown),
        "mistakes.csv": write_csv(
            [("mistake", "students", "thought", "who")]
            + [(one.name, len(one.lines), one.thought, "; ".join(shown[who] for who in one.lines)) for one in made]
        ),
        "tests.csv": write_csv(
            [("test", "passed by")]
            + [(test, "nobody") for test in nobody]
            + [(test, "everybody") for test in everybody]
        ),
        "similar.csv": write_csv(
            [("module", "one", "other", "what", "share")]
            + [(one.module_id, *_both(one, shown), one.kind, round(one.share, 2)) for one in same]
        ),
    }
    marked = [(grade, submissions[grade.name]) for grade in grades]
    title = "g2c " + " ".join(dict.fromkeys(mark.group.module_id for grade in grades[:1] for mark in grade.groups))
    files |= platform_tables(marked, title)
    try:
        for name, text in files.items():
            write_file(folder / name, [text.encode("utf-8", errors="replace")])
    except OSError as error:
        raise SavingError(f"The reports cannot be written to {folder}: {error.strerror or error}.") from None


def _labels(names: Sequence[str], anonymous: bool) -> dict[str, str]:
    """Name -> how the page shows it. The numbers do not follow the order of the names."""
    if not anonymous:
        return {name: name for name in names}
    mixed = sorted(names, key=lambda name: hashlib.sha256(name.encode("utf-8", errors="replace")).digest())
    return {name: f"student {number}" for number, name in enumerate(mixed, start=1)}


def mistakes_made(grades: Sequence[Grade]) -> list[Made]:
    """The recognized mistakes, those of most students first."""
    students: dict[str, list[Grade]] = {}
    for grade in grades:
        for name in grade.mistakes:
            students.setdefault(name, []).append(grade)
    made = []
    for name, who in students.items():
        module_id, _, mistake = name.partition(": ")
        known = [entry for entry in bank.entries(module_id) if entry.mistake == mistake] if module_id != HIDDEN else []
        functions = {entry.exercise.qualified_name for entry in known}
        lines = {grade.name: two_lines(module_id, grade.sources, functions) if known else () for grade in who}
        made.append(Made(name, known[0].thought if known else "", lines))
    return sorted(made, key=lambda one: -len(one.lines))


def two_lines(module_id: str, sources: Mapping[str, Source], functions: Collection[str]) -> tuple[str, ...]:
    """The first two lines of code in the student's function that the answer key's does not have."""
    module = modules()[module_id]
    lines = _lines_of(sources.get(module.file, Source()), functions)
    key = {line.strip() for line in _lines_of(_source_of_key(module_id), functions)}
    return tuple([line for line in lines if line.strip() not in key][:2] or lines[:2])


def _lines_of(source: Source, functions: Collection[str]) -> list[str]:
    return [line for name, lines in source.lines.items() if name in functions for line in lines]


@cache
def _source_of_key(module_id: str) -> Source:
    module = modules()[module_id]
    return source_of(module, module.key_file.read_bytes())


def tests_of_nobody_and_everybody(grades: Sequence[Grade]) -> tuple[list[str], list[str]]:
    """The tests with points that no student passes, and those that every student passes."""
    failed: Counter[str] = Counter()
    tests: dict[str, None] = {}
    for grade in grades:
        for mark in (mark for mark in grade.groups if mark.group.points):
            tests |= dict.fromkeys(mark.group.nodes)
            failed.update(node for node, _ in mark.failures)
    return [node for node in tests if failed[node] == len(grades)], [node for node in tests if not failed[node]]


# --- the page ---------------------------------------------------------------------------------------------------------


def page(
    grades: Sequence[Grade],
    late: Collection[str],
    made: Sequence[Made],
    same: Sequence[Similar],
    nobody: Sequence[str],
    everybody: Sequence[str],
    shown: Mapping[str, str],
) -> str:
    """The HTML page, with its style inside and nothing from elsewhere."""
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The class</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{STYLE}</style></head><body><h1>{len(grades)} submissions</h1>",
        _distribution(grades),
        "<h2>Marks</h2>",
        _marks_table(grades, late, shown),
        "<h2>Mistakes</h2>",
        *(_mistake(one, len(grades), shown) for one in made),
        "" if made else "<p>No mistake was recognized.</p>",
        "<h2>Similar submissions</h2>",
        _similar_table(same, shown),
        _tests("Tests that nobody passes", nobody),
        _tests("Tests that everybody passes", everybody),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _text(text: str) -> str:
    return html.escape(text)


def _distribution(grades: Sequence[Grade]) -> str:
    """A histogram of the percentages: bands of ten, and one for 100."""
    percents = [100 * float(grade.score / grade.possible) if grade.possible else 0.0 for grade in grades]
    counts = Counter(min(max(int(percent // 10), 0), 10) for percent in percents)
    highest = max(counts.values(), default=1)
    names = [*(f"{10 * band}–{10 * band + 9}" for band in range(10)), "100"]
    bars = "".join(
        f'<div>{counts[band] or ""}<i style="height:{5.5 * counts[band] / highest:.2f}rem"></i>{name}</div>'
        for band, name in enumerate(names)
    )
    median = statistics.median(percents) if percents else 0
    return (
        f'<div class="bars" role="img" aria-label="number of students in each band of ten percent">{bars}</div>'
        f'<p class="soft">Students per band of ten percent; median {median:.0f} %.</p>'
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        kind = ["", ' class="number"']
        return "".join(f"<{tag}{kind[i in numbers]}>{value}</{tag}>" for i, value in enumerate(cells))

    body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in rows)
    return f'<div class="scroll"><table><tr>{row(header, "th")}</tr>{body}</table></div>'


def _marks_table(grades: Sequence[Grade], late: Collection[str], shown: Mapping[str, str]) -> str:
    rows = []
    titles = list(dict.fromkeys(title for grade in grades for title in grade.by_title()))
    with_notebooks = any(grade.notebooks for grade in grades)
    for grade in sorted(grades, key=lambda grade: (-grade.score, shown[grade.name].casefold())):
        remarks = [*grade.notes, *(["code worth a look"] if grade.suspicions else [])]
        points = grade.by_title()
        rows.append(
            [
                _student(grade, shown) + (" (late)" if grade.name in late else ""),
                f"{format_points(grade.score)} of {format_points(grade.possible)}",
                *(format_points(points[title][0]) if title in points else "" for title in titles),
                f"{grade.seconds:.0f} s",
                *([right_answers(grade, list(grade.notebooks))] if with_notebooks else []),
                f'<span class="soft">{"<br>".join(map(_text, remarks))}</span>',
            ]
        )
    exercises = [_text(f"{module_id} {title}") for module_id, title in titles]
    columns = ["student", "points", *exercises, "time", *(["notebook"] if with_notebooks else []), "remarks"]
    return _table(columns, rows, range(1, len(columns) - 1))


def _student(grade: Grade, shown: Mapping[str, str]) -> str:
    """The student's name, which leads to the report; nothing but the number on an anonymous page."""
    if shown[grade.name] != grade.name:
        return _text(shown[grade.name])
    return f'<a href="students/{quote(file_name(grade.name))}/report.md">{_text(grade.name)}</a>'


def _mistake(made: Made, students: int, shown: Mapping[str, str]) -> str:
    thought = f"<blockquote>{_text(made.thought)}</blockquote>" if made.thought else ""
    code = "".join(
        f'<span class="soft">{_text(shown[student])}</span><pre>{_text(textwrap.dedent(chr(10).join(lines)))}</pre>'
        for student, lines in made.lines.items()
        if lines
    )
    who = "" if code else f'<p class="soft">{_text(", ".join(shown[student] for student in made.lines))}</p>'
    return (
        f"<details><summary><b>{len(made.lines)} of {students}</b> {_text(made.name)}</summary>"
        f"{thought}{code}{who}</details>"
    )


def _both(similar: Similar, shown: Mapping[str, str]) -> tuple[str, str]:
    one, other = similar.names
    return shown[one], other if other == ANSWER_KEY else shown[other]


def _similar_table(same: Sequence[Similar], shown: Mapping[str, str]) -> str:
    if not same:
        return "<p>None.</p>"
    rows = []
    for one in same:
        rows.append([one.module_id, *map(_text, _both(one, shown)), one.kind, f"{100 * one.share:.0f} %"])
    return _table(["module", "student", "and", "what", "share"], rows, {4})


def _tests(title: str, nodes: Sequence[str]) -> str:
    hidden = sum("tests/hidden/" in node for node in nodes)
    items = "".join(f"<li>{_text(node)}</li>" for node in nodes)
    more = f" ({hidden} of them hidden)" if hidden else ""
    return f"<h2>{title}</h2><details><summary>{len(nodes)}{more}</summary><ul>{items}</ul></details>"
