"""What the class needs: class.html, one page without network, the tables, and what the class wrote in words."""

import json
import statistics
from collections import Counter
from collections.abc import Sequence
from datetime import date
from html import escape
from pathlib import Path
from urllib.parse import quote

from g2c.common.files import saving
from g2c.course.exercises import Module, modules
from g2c.course.notebooks.make import exercise_from_solution, read_notebook
from g2c.grading.marks import Grade, RecognizedMistake
from g2c.grading.reports import class_table, format_points, platform_tables, titles_of, write_text
from g2c.grading.submissions import Submission, file_name

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #666; --line: #ddd; --bar: #4477aa;
  --box: #f5f5f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #16181c; --soft: #a0a0a0; --line: #3a3d44;
  --bar: #77aadd; --box: #22252b; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 66rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-top: 1px solid var(--line); vertical-align: top; }
td.soft { border-top: 0; padding-top: 0; font-size: .85rem; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; white-space: nowrap; }
th { font-weight: 600; } .soft { color: var(--soft); }
pre { background: var(--box); padding: .5rem; margin: .3rem 0; overflow-x: auto; font-size: .85rem; }
.bars { display: flex; align-items: flex-end; gap: 2px; height: 8rem; }
.bars div { flex: 1; text-align: center; font-size: .75rem; }
.bars i { display: block; background: var(--bar); } blockquote { margin: .3rem 0; padding-left: .8rem;
  border-left: 3px solid var(--line); }
@media (max-width: 30rem) { .bars div { font-size: .6rem; white-space: nowrap; } }
"""
CARDS = """
@media (max-width: WIDTH) { .marks tr:first-child { display: none; }
  .marks tr, .marks td { display: block; border: 0; padding: 0; }
  .marks tr { border-top: 1px solid var(--line); padding-top: .4rem; } .marks tr.more { border: 0; padding: 0; }
  .marks td.number { display: inline-block; margin-right: 1rem; }
  .marks td.number::before { content: attr(data-of) " "; color: var(--soft); font-size: .85rem; } }
"""
"""The table of marks where the page is too narrow for its columns: each student has lines instead."""
COLUMN = 7
"""Width of a column, in rem."""
PAGE = "notebooks.html"
MAX_WORDS = 10_000
"""Characters of an answer that are shown."""


def write_class_report(marked: Sequence[tuple[Grade, Submission]], folder: Path, summary: Sequence[str] = ()) -> None:
    """Write the page and the tables."""
    grades = [grade for grade, _ in marked]
    with saving(folder):
        write_text(folder / "class.html", page(grades, date.today(), summary))
        write_text(folder / "grades.csv", class_table(grades))
        for name, text in platform_tables(marked).items():
            write_text(folder / name, text)


# --- the page ---------------------------------------------------------------------------------------------------------


def page(grades: Sequence[Grade], day: date, summary: Sequence[str] = ()) -> str:
    """Write the HTML page, with its style inside and nothing from elsewhere."""
    ids = list(dict.fromkeys(mark.group.module_id for grade in grades for mark in grade.groups))
    title = " · ".join(f"{one} {modules()[one].title}" if one in modules() else "hidden tests" for one in ids)
    parts = [
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{STYLE}{CARDS.replace('WIDTH', f'{COLUMN * (len(titles_of(grades)) + 1)}rem')}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{len(grades)} submissions, graded on {day.isoformat()}</p>',
        *(f"<p>{escape(line)}</p>" for line in summary),
        _please_look(grades),
        _distribution(grades),
        "<h2>Marks</h2>",
        _marks_table(grades),
        "<h2>Mistakes</h2>",
        _mistakes(grades) or "<p>No mistake was recognized.</p>",
        _tests_of_nobody(grades),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _please_look(grades: Sequence[Grade]) -> str:
    """List those without a point, with what was noted: often something small that a teacher forgives."""
    zero = [grade for grade in grades if grade.is_graded and not grade.score]
    items = [f"<li>{_link(grade)}: {escape(' '.join(grade.notes) or 'no test passed.')}</li>" for grade in zero]
    return f"<h2>0 points, please look</h2><ul>{''.join(items)}</ul>" if zero else ""


def _link(grade: Grade) -> str:
    return f'<a href="students/{quote(file_name(grade.name))}/report.md">{escape(grade.name)}</a>'


def _distribution(grades: Sequence[Grade]) -> str:
    """Draw a histogram of the percentages: bands of ten, and one for 100."""
    percents = [grade.percent for grade in grades if grade.is_graded]
    counts = Counter(min(max(int(percent // 10), 0), 10) for percent in percents)
    names = [*(f"{10 * band}–{10 * band + 9}" for band in range(10)), "100"]
    heights = [5.5 * counts[band] / max(counts.values(), default=1) for band in range(11)]
    bars = "".join(
        f'<div>{counts[band] or ""}<i style="height:{heights[band]:.2f}rem"></i>{name}</div>'
        for band, name in enumerate(names)
    )
    median = statistics.median(percents) if percents else 0
    return (
        f'<div class="bars" role="img" aria-label="number of students in each band of ten percent">{bars}</div>'
        f'<p class="soft">Students per 10-point band; median {median:.0f} %</p>'
    )


def _marks_table(grades: Sequence[Grade]) -> str:
    """Points, and those of each exercise; below them what is to be known of the submission."""
    titles = titles_of(grades)
    names = ["points", *(f"{module_id} {title}" for module_id, title in titles)]
    heads = "".join(f'<th class="number">{escape(name)}</th>' for name in names)
    rows = [f"<tr><th>student</th>{heads}</tr>"]
    for grade in sorted(grades, key=lambda grade: (-grade.score, grade.name.casefold())):
        points = grade.by_title()
        numbers = ["not graded", *([""] * len(titles))]
        if grade.is_graded:
            numbers = [f"{format_points(grade.score)} of {format_points(grade.possible)}"]
            numbers += [format_points(points[title][0]) for title in titles]
        cells = "".join(f'<td class="number" data-of="{escape(of)}">{n}</td>' for of, n in zip(names, numbers))
        rows.append(f"<tr><td>{_link(grade)}</td>{cells}</tr>")
        if remarks := [*grade.notes, *(f"Worth a look: {sentence}" for sentence in grade.suspicions)]:
            text = "<br>".join(map(escape, remarks))
            rows.append(f'<tr class="more"><td class="soft" colspan="{len(titles) + 2}">{text}</td></tr>')
    return f'<table class="marks">{"".join(rows)}</table>'


def _mistakes(grades: Sequence[Grade]) -> str:
    """List each mistake, those of most students first: who made it, and what they may have thought."""
    students: dict[RecognizedMistake, list[str]] = {}
    for grade in grades:
        for mistake in grade.mistakes:
            students.setdefault(mistake, []).append(grade.name)
    parts = []
    for mistake, who in sorted(students.items(), key=lambda item: -len(item[1])):
        name = escape(f"{mistake.module_id}: {mistake.name}")
        parts.append(
            f"<details><summary><b>{len(who)} of {len(grades)}</b> {name}</summary>"
            f"{f'<blockquote>{escape(mistake.thought)}</blockquote>' if mistake.thought else ''}"
            f'<p class="soft">{escape(", ".join(who))}</p></details>'
        )
    return "\n".join(parts)


def _tests_of_nobody(grades: Sequence[Grade]) -> str:
    marks = [mark for grade in grades for mark in grade.groups]
    passed = [set(mark.group.nodes) - {node for node, _ in mark.failures} for mark in marks]
    nodes = sorted({node for mark in marks for node in mark.group.nodes}.difference(*passed))
    items = "".join(f"<li>{escape(node)}</li>" for node in nodes)
    return f"<h2>Tests that nobody passes</h2><details><summary>{len(nodes)}</summary><ul>{items}</ul></details>"


# --- `g2c grade --notebooks`: the words of a class, which are marked by reading them, by question --------------------


def write_written_answers(submissions: Sequence[Submission], module_ids: Sequence[str], folder: Path) -> Path:
    """Write the page."""
    parts = [_module_part(modules()[module_id], submissions) for module_id in module_ids]
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Answers in words</title>\n'
        f"<style>{STYLE}.words {{ white-space: pre-wrap; }}</style></head><body>\n"
        "<h1>Answers in words, by question</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )
    write_text(folder / PAGE, page)
    return folder / PAGE


def _module_part(module: Module, submissions: Sequence[Submission]) -> str:
    """Predictions and places for words of a notebook, in its order: the question, the model answer, what each wrote."""
    words = {one.name: _words(one.files.get(module.notebook_file.name, b"")) for one in submissions}
    lines = [f"<h2>{escape(f'{module.id} {module.title}')}</h2>"]
    if missing := [name for name, cells in words.items() if not cells]:
        lines.append(f'<p class="soft">No notebook that can be read: {escape(", ".join(missing))}.</p>')
    asked, solution = "", read_notebook(module.solution_file)
    untouched = {cell.id: cell.source for cell in exercise_from_solution(solution).cells}
    for cell in solution.cells:
        if not {"answer", "prediction"} & set(cell.metadata.get("tags", [])):
            asked = cell.source if cell.cell_type == "markdown" else asked
            continue
        lines.append(f'<h3>{escape(cell.id)}</h3>\n<div class="words">{escape(asked)}</div>')
        lines.append(f"<details><summary>Model answer</summary>{_quoted(cell.source)}</details>")
        for name, cells in words.items():
            if cells:
                written = cells.get(cell.id, "").replace(untouched[cell.id], "").strip()[:MAX_WORDS]
                shown = _quoted(written) if written else ' <span class="soft">nothing</span>'
                lines.append(f"<div><b>{escape(name)}</b>{shown}</div>")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return f'<blockquote class="words">{escape(text)}</blockquote>'


def _words(notebook: bytes) -> dict[str, str]:
    """ID -> text of each cell of a notebook that was handed in; nothing where it is missing or damaged."""
    try:
        return {str(cell["id"]): "".join(cell["source"]) for cell in json.loads(notebook)["cells"] if "id" in cell}
    except (ValueError, RecursionError, LookupError, TypeError):
        return {}
