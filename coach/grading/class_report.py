"""Writes the pages for a class: class.html, with its tables, and notebooks.html, with the answers in words."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from importlib.resources import files
from urllib.parse import quote

from coach.exercises import Module, modules
from coach.grading.marks import Grade, RecognizedMistake
from coach.grading.names import file_name
from coach.grading.reports import format_points, titles_of
from coach.grading.submissions import Submission, cells_of
from coach.notebooks.make import exercise_from_solution, read_notebook

STYLE = files("coach.grading") / "templates" / "class.css"
COLUMN = 7
"""Width of a column of points, in rem."""
MAX_WORDS = 10_000


# --- the page ---------------------------------------------------------------------------------------------------------


def page(grades: Sequence[Grade], summary: Sequence[str] = ()) -> str:
    """Write the HTML page, which contains its style and loads nothing."""
    ids = list(dict.fromkeys(mark.group.module_id for grade in grades for mark in grade.groups))
    title = " · ".join(f"{one} {modules()[one].title}" if one in modules() else "hidden tests" for one in ids)
    parts = [
        _head(title, columns=len(titles_of(grades)) + 1),
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{len(grades)} submissions, graded on {date.today().isoformat()}</p>',
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


def _head(title: str, columns: int = 0) -> str:
    style = STYLE.read_text(encoding="utf-8").replace("WIDTH", f"{COLUMN * columns}rem")
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{style}</style></head><body>"
    )


def _please_look(grades: Sequence[Grade]) -> str:
    """List students without a point, with their notes: often something small that a teacher forgives."""
    zero = [grade for grade in grades if grade.is_graded and not grade.score]
    items = [f"<li>{_link(grade)}: {escape(' '.join(grade.notes) or 'no test passed.')}</li>" for grade in zero]
    return f"<h2>0 points, please look</h2><ul>{''.join(items)}</ul>" if zero else ""


def _link(grade: Grade) -> str:
    return f'<a href="students/{quote(file_name(grade.name))}/report.md">{escape(grade.name)}</a>'


def _distribution(grades: Sequence[Grade]) -> str:
    """Draw a histogram of the percentages, in bands of ten and one for 100."""
    percents = [grade.percent for grade in grades if grade.is_graded]
    counts = Counter(int(percent // 10) for percent in percents)
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
    """Write each student's points, in all and by exercise, and below them the remarks."""
    titles = titles_of(grades)
    heads = "".join(f'<th class="number">{escape(name)}</th>' for name in ("points", *titles))
    rows = [f"<tr><th>student</th>{heads}</tr>"]
    for grade in sorted(grades, key=lambda grade: (-grade.score, grade.name.casefold())):
        numbers = {"points": "not graded", **dict.fromkeys(titles, "")}
        if grade.is_graded:
            numbers = {"points": f"{format_points(grade.score)} of {format_points(grade.possible)}"}
            numbers |= {title: format_points(points) for title, points in grade.by_title().items()}
        cells = "".join(f'<td class="number" data-of="{escape(of)}">{n}</td>' for of, n in numbers.items())
        rows.append(f"<tr><td>{_link(grade)}</td>{cells}</tr>")
        if remarks := [*grade.notes, *(f"Worth a look: {sentence}" for sentence in grade.suspicions)]:
            text = "<br>".join(map(escape, remarks))
            rows.append(f'<tr class="more"><td class="soft" colspan="{len(titles) + 2}">{text}</td></tr>')
    return f'<table class="marks">{"".join(rows)}</table>'


def _mistakes(grades: Sequence[Grade]) -> str:
    """List the mistakes by the number of students, each with the students and their likely thought."""
    students: dict[RecognizedMistake, list[str]] = {}
    for grade in grades:
        for mistake in dict.fromkeys(grade.mistakes):
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


# --- `g2c grade --notebooks` ------------------------------------------------------------------------------------------


def written_answers(submissions: Sequence[Submission], module_ids: Sequence[str]) -> str:
    """Write the HTML page with a class's answers in words, by question."""
    parts = [_module_part(modules()[module_id], submissions) for module_id in module_ids]
    return "\n".join([_head("Answers in words"), "<h1>Answers in words, by question</h1>", *parts, "</body></html>\n"])


def _module_part(module: Module, submissions: Sequence[Submission]) -> str:
    """List a notebook's predictions and answers in words: the question, the model answer, and each student's text."""
    asked, solution = "", read_notebook(module.solution_file)
    untouched = [(cell.id, cell.source.strip()) for cell in exercise_from_solution(solution).cells]
    is_answer = {
        cell.id: bool({"answer", "prediction"} & set(cell.metadata.get("tags", []))) for cell in solution.cells
    }
    files = {one.name: one.files.get(module.notebook_file.name, b"") for one in submissions}
    words = {name: _words(notebook, untouched, is_answer) for name, notebook in files.items()}
    lines = [f"<h2>{escape(f'{module.id} {module.title}')}</h2>"]
    if missing := [name for name, cells in words.items() if not cells]:
        lines.append(f'<p class="soft">No notebook that can be read: {escape(", ".join(missing))}.</p>')
    for cell in solution.cells:
        if not is_answer[cell.id]:
            asked = cell.source if cell.cell_type == "markdown" else asked
            continue
        lines.append(f'<h3>{escape(cell.id)}</h3>\n<div class="words">{escape(asked)}</div>')
        lines.append(f"<details><summary>Model answer</summary>{_quoted(cell.source)}</details>")
        for name, cells in words.items():
            if cells:
                written = cells.get(cell.id, "")[:MAX_WORDS]
                shown = _quoted(written) if written else ' <span class="soft">nothing</span>'
                lines.append(f"<div><b>{escape(name)}</b>{shown}</div>")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return f'<blockquote class="words">{escape(text)}</blockquote>'


def _words(notebook: bytes, untouched: Sequence[tuple[str, str]], is_answer: Mapping[str, bool]) -> dict[str, str]:
    """Return ID -> answer, from a student's notebook; nothing where it is missing or damaged.

    An answer is everything between the course's cells around it, so it may be in a new cell, and cells need no IDs.
    `untouched`: the ID and text of each cell that was handed out.
    """
    ids = {text: name for name, text in reversed(untouched) if not is_answer.get(name)}
    names = {name for name, _ in untouched}
    found: dict[str, list[str]] = {}
    place = ""
    for own_id, text in cells_of(notebook.decode(errors="replace")):
        place = own_id if own_id in names else ids.get(text, place)
        found.setdefault(place, []).append(text)
    in_order = [name for name, _ in untouched]
    answers: dict[str, str] = {}
    for number, (name, handed_out) in enumerate(untouched):
        if is_answer.get(name):
            before = in_order[number - 1] if number else ""
            # The first text there is the course's own cell.
            texts = [*found.get(before, [])[1:], *found.get(name, [])]
            answers[name] = "\n\n".join(text for text in texts if text not in ("", handed_out))
    return answers if found else {}
