"""Write mistakes.md: the mistake bank as a table for instructors.

After a change of the bank:

    python docs/mistakes.py
"""

import ast
import re
from pathlib import Path

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules

BANK = REPOSITORY / "tests" / "course" / "mistakes"
PAGE = REPOSITORY / "docs" / "mistakes.md"

HEAD = """\
# The mistake bank

Wrong solutions that students write, {count} of them, each with what its author was thinking. A test proves for every
one that the suite fails on it within the time limit, and that the first failing test names the mistake. How to add one
is described in [the page for instructors](instructors.md#adding-a-mistake-to-the-bank). This page is written by
`docs/mistakes.py`.
"""


def page() -> str:
    """The text of mistakes.md: the mistakes of every module that has a handout, exercise by exercise."""
    listed = [module for module in modules().values() if (REPOSITORY / module.handout).exists()]
    parts = [HEAD.format(count=sum(len(wrong_solutions(module)) for module in listed))]
    for module in listed:
        parts.append(f"## {module.id} {module.title}\n")
        for exercise in module.exercises:
            files = [file for file in wrong_solutions(module) if exercise.qualified_name in names_in(file)]
            if files:
                parts.append(f"### {exercise.qualified_name}\n")
                parts.append("| the student's thought | what the report says | handout | file |\n|---|---|---|---|")
                parts.append("\n".join(row(module, file) for file in files) + "\n")
    return "\n".join(parts)


def wrong_solutions(module: Module) -> list[Path]:
    return sorted((BANK / module.id).glob("*.py"))


def names_in(file: Path) -> set[str]:
    """Qualified names of the functions and methods that a wrong solution defines."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    methods = {f"{owner.name}.{node.name}" for owner in classes for node in owner.body if hasattr(node, "name")}
    return methods | {node.name for node in body if isinstance(node, ast.FunctionDef)}


def row(module: Module, file: Path) -> str:
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    thought, _, rest = docstring.partition("\n\n")
    fields = dict(re.findall(r"^(\w[\w ]*): (.+)$", rest, re.MULTILINE))
    pitfall = fields.get("Pitfall")
    link = f"[{pitfall}]({Path(module.handout).name}#pitfall-{pitfall})" if pitfall else ""
    name = f"[{file.stem}](../{file.relative_to(REPOSITORY).as_posix()})"
    return f"| {cell(thought)} | {cell(fields['Mistake'])} | {link} | {name} |"


def cell(text: str) -> str:
    """Text for a table: one line, and nothing in it that Markdown reads as a mark."""
    return re.sub(r"([|*_<\[\]`])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
