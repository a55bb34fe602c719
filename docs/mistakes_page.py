"""The mistake bank as a page for instructors: a table for each exercise."""

import re
from pathlib import Path

from coach.common.paths import REPOSITORY
from coach.diagnosis.bank import Entry, entries
from coach.exercises import modules

HEAD = """\
# The mistake bank

Wrong solutions that students write, {count} of them, each with what its author was thinking. When a test fails, those
of the exercise are run on the same call, and the report names the one that gives the same. A test proves for every one
that the suite fails on it within the time limit, and that the first failing test names the mistake. How to add one is
described in [the page for instructors](instructors.md#adding-a-mistake-to-the-bank).
"""


def page() -> str:
    """The page in Markdown, as if it were in docs/: the mistakes of every module, by exercise."""
    listed = list(modules().values())
    parts = [HEAD.format(count=sum(len(entries(module.id)) for module in listed))]
    for module in listed:
        parts.append(f"## {module.id} {module.title}\n")
        for exercise in module.exercises:
            found = [entry for entry in entries(module.id) if entry.exercise == exercise]
            if found:
                path = found[0].path.relative_to(REPOSITORY).as_posix()
                parts.append(f"### {exercise.qualified_name}\n\nThe code is in [{path}](../{path}).\n")
                parts.append("| the student's thought | what the report says | pitfall | function |\n|---|---|---|---|")
                parts.append("\n".join(dict.fromkeys(map(_row, found))) + "\n")
    return "\n".join(parts)


def _row(entry: Entry) -> str:
    link = f"[{entry.mistake.pitfall}]({Path(entry.exercise.module.pitfalls).name}#pitfall-{entry.mistake.pitfall})"
    return f"| {_cell(entry.mistake.thought)} | {_cell(entry.mistake.name)} | {link} | `{entry.function.__name__}` |"


def _cell(text: str) -> str:
    """Text for a table: one line, and nothing in it that Markdown reads as a mark."""
    return re.sub(r"([|*_<\[\]`])", r"\\\1", " ".join(text.split()))
