"""`g2c grade --notebooks`: what a class wrote in words in its notebooks, on one page, by question.

Predictions and answers in words are marked by reading them. Read question by question, they can be compared.
"""

import html
import json
from collections.abc import Sequence
from pathlib import Path

from g2c.course.exercises import Module, modules
from g2c.course.notebooks.make import exercise_from_solution, read_notebook
from g2c.grading.class_report import STYLE
from g2c.grading.reports import write_text
from g2c.grading.submissions import Submission

PAGE = "notebooks.html"
MAX_WORDS = 10_000
"""Characters of an answer that are shown."""


def write_written_answers(submissions: Sequence[Submission], module_ids: Sequence[str], folder: Path) -> Path:
    """Write the page.

    Args:
        submissions: those of the class; a student who did not hand in a module's notebook is named at its top.
        module_ids: the modules whose notebooks are read.
        folder: where to write `PAGE`; it is made if it is missing.

    Returns:
        the path of the page.
    """
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
    lines = [f"<h2>{html.escape(f'{module.id} {module.title}')}</h2>"]
    if missing := [name for name, cells in words.items() if not cells]:
        lines.append(f'<p class="soft">No notebook that can be read: {html.escape(", ".join(missing))}.</p>')
    asked, solution = "", read_notebook(module.solution_file)
    untouched = {cell.id: cell.source for cell in exercise_from_solution(solution).cells}
    for cell in solution.cells:
        if not {"answer", "prediction"} & set(cell.metadata.get("tags", [])):
            asked = cell.source if cell.cell_type == "markdown" else asked
            continue
        lines.append(f'<h3>{html.escape(cell.id)}</h3>\n<div class="words">{html.escape(asked)}</div>')
        lines.append(f"<details><summary>Model answer</summary>{_quoted(cell.source)}</details>")
        for name, cells in words.items():
            if cells:
                written = cells.get(cell.id, "").replace(untouched[cell.id], "").strip()[:MAX_WORDS]
                shown = _quoted(written) if written else ' <span class="soft">nothing</span>'
                lines.append(f"<div><b>{html.escape(name)}</b>{shown}</div>")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return f'<blockquote class="words">{html.escape(text)}</blockquote>'


def _words(notebook: bytes) -> dict[str, str]:
    """ID -> text of each cell of a notebook that was handed in; nothing where it is missing or damaged."""
    try:
        return {str(cell["id"]): "".join(cell["source"]) for cell in json.loads(notebook)["cells"] if "id" in cell}
    except (ValueError, RecursionError, LookupError, TypeError):
        return {}
