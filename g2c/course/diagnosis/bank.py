"""The mistake bank: wrong solutions as students write them, in mistakes/MODULE/NAME.py, each a file of its own.

The docstring of such a file holds the student's thought, then the fields that `Entry` lists. Files whose names begin
with an underscore are no wrong solutions.
"""

import ast
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import CodeType

from g2c.course.calls import Mistake
from g2c.common.paths import REPOSITORY

BANK = REPOSITORY / "mistakes"

FORM = re.compile(r"(.+)\n\nMistake: (.+)\nWhy: (.+)\nPitfall: (.+)\nCaught by: (\w+)", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A wrong solution: what it says of itself, and its code."""

    path: Path
    thought: str
    mistake: str
    why: str
    pitfall: str
    caught_by: str
    """The test group that fails first."""
    tree: ast.Module

    @cached_property
    def names(self) -> frozenset[str]:
        """Qualified names of the functions that the file defines: "BPETokenizer.encode", or "pad_batch"."""
        classes = [node for node in self.tree.body if isinstance(node, ast.ClassDef)]
        methods = {f"{owner.name}.{name}" for owner in classes for node in owner.body for name in _names_of(node)}
        return frozenset(methods | {name for node in self.tree.body for name in _names_of(node)})

    @cached_property
    def code(self) -> CodeType:
        return compile(self.tree, str(self.path), "exec")

    def as_mistake(self) -> Mistake:
        return Mistake(self.mistake, self.why, self.pitfall, self.thought)


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def read(path: Path) -> Entry:
    """
    Raises:
        ValueError: the docstring is not in the form of the bank.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    match = FORM.fullmatch(ast.get_docstring(tree) or "")
    if not match:
        raise ValueError(f"{path}: the docstring needs a thought, then Mistake, Why, Pitfall and Caught by.")
    return Entry(path, *(" ".join(part.split()) for part in match.groups()), tree)


@cache
def entries(module_id: str) -> tuple[Entry, ...]:
    """The wrong solutions for a module, by file name; none where there is no bank."""
    return tuple(read(path) for path in sorted((BANK / module_id).glob("[!_]*.py")))
