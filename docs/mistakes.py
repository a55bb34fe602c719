"""Write mistakes.md: the mistake bank as a table for instructors.

After a change of the bank:

    python docs/mistakes.py
"""

import re
from pathlib import Path

from g2c.common.paths import REPOSITORY
from g2c.course.diagnosis.bank import Entry, entries
from g2c.course.exercises import Module, modules

PAGE = REPOSITORY / "docs" / "mistakes.md"

HEAD = """\
# The mistake bank

Wrong solutions that students write, {count} of them, each with what its author was thinking. When a test fails, those
of the exercise are run on the same call, and the report names the one that comes to the same. A test proves for every
one that the suite fails on it within the time limit, and that the first failing test names the mistake. How to add one
is described in [the page for instructors](instructors.md#adding-a-mistake-to-the-bank). This page is written by
`docs/mistakes.py`.
"""


def page() -> str:
    """The text of mistakes.md: the mistakes of every module that has a handout, exercise by exercise."""
    listed = [module for module in modules().values() if (REPOSITORY / module.handout).exists()]
    parts = [HEAD.format(count=sum(len(entries(module.id)) for module in listed))]
    for module in listed:
        parts.append(f"## {module.id} {module.title}\n")
        for exercise in module.exercises:
            found = [entry for entry in entries(module.id) if exercise.qualified_name in entry.names]
            if found:
                parts.append(f"### {exercise.qualified_name}\n")
                parts.append("| the student's thought | what the report says | pitfall | file |\n|---|---|---|---|")
                parts.append("\n".join(row(module, entry) for entry in found) + "\n")
    return "\n".join(parts)


def row(module: Module, entry: Entry) -> str:
    link = f"[{entry.pitfall}]({Path(module.pitfalls).name}#pitfall-{entry.pitfall})"
    name = f"[{entry.path.stem}](../{entry.path.relative_to(REPOSITORY).as_posix()})"
    return f"| {cell(entry.thought)} | {cell(entry.mistake)} | {link} | {name} |"


def cell(text: str) -> str:
    """Text for a table: one line, and nothing in it that Markdown reads as a mark."""
    return re.sub(r"([|*_<\[\]`])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
