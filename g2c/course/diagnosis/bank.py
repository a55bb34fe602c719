"""The mistake bank: wrong solutions as students write them, in mistakes/MODULE/NAME.py, each a file of its own.

The docstring of such a file holds the student's thought, then the fields that `Entry` lists. Files whose names begin
with an underscore are no wrong solutions.
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import CodeType

from g2c.common.paths import REPOSITORY
from g2c.course.calls import Mistake

BANK = REPOSITORY / "mistakes"

FORM = re.compile(r'"""(.+?)\n\nMistake: (.+)\nWhy: (.+?)\nPitfall: (.+)\nCaught by: (\w+)\n"""\n(.+)', re.DOTALL)
DEFINITION = re.compile(r"^class (\w+)|^    def (\w+)|^def (\w+)|^(\w+) =", re.MULTILINE)


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
    source: str

    @cached_property
    def names(self) -> frozenset[str]:
        """Qualified names of the functions that the file defines: "BPETokenizer.encode", or "pad_batch"."""
        names, owner = set(), ""
        # A file is short, and every file of a module is looked at: reading it with `ast` would take too long.
        for class_name, method, function, assigned in DEFINITION.findall(self.source):
            owner = class_name or owner
            names.add(f"{owner}.{method}" if method else function or assigned or owner)
        return frozenset(names)

    @cached_property
    def code(self) -> CodeType:
        return compile(self.path.read_text(encoding="utf-8"), str(self.path), "exec")

    def as_mistake(self) -> Mistake:
        return Mistake(self.mistake, self.why, self.pitfall, self.thought)


def read(path: Path) -> Entry:
    """
    Raises:
        ValueError: the docstring is not in the form of the bank.
    """
    match = FORM.fullmatch(path.read_text(encoding="utf-8"))
    if not match:
        raise ValueError(f"{path}: the docstring needs a thought, then Mistake, Why, Pitfall and Caught by.")
    thought, mistake, why, pitfall, group = (" ".join(field.split()) for field in match.groups()[:-1])
    return Entry(path, thought, mistake, why, pitfall, group, source=match[6])


@cache
def entries(module_id: str) -> tuple[Entry, ...]:
    """The wrong solutions for a module, by file name; none where there is no bank."""
    return tuple(read(path) for path in sorted((BANK / module_id).glob("[!_]*.py")))
