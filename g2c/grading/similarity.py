"""Submissions that share code: copied, copied with other names, or pasted from the answer key.

The functions that students write are compared as syntax trees: without comments, docstrings and annotations, so that
layout does not matter, and once more with local names replaced by numbers. Short functions are often alike by chance,
so a pair of submissions is named when nearly all of what both wrote is the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from g2c.course.exercises import modules
from g2c.grading.source_report import source_of
from g2c.grading.sources import Function

ALIKE = 0.8
"""The share of the smaller submission's code that must be the same in the other."""
MIN_NODES = 120
"""Less code than this, in nodes of the syntax tree, is alike by chance."""
ANSWER_KEY = "the answer key"
COPIED, RENAMED = "the same code", "the same code with other names"


@dataclass(frozen=True)
class Similar:
    """Two submissions, or one and the answer key, that share code."""

    module_id: str
    names: tuple[str, str]
    kind: str
    share: float
    """How much of the smaller one is in the other, from 0 to 1."""


def similar_submissions(submissions: Mapping[str, Mapping[str, Mapping[str, Function]]]) -> list[Similar]:
    """Pairs of students whose code is nearly the same, and students who handed in the answer key.

    Code that is like the answer key does not make two students alike: it is reported once, for each of them.

    Args:
        submissions: student -> "bpe" -> the functions in bpe.py.
    """
    found = []
    for module in modules().values():
        key = source_of(module, module.key_file.read_bytes()).functions if module.key_file.is_file() else {}
        written = {name: files[module.file] for name, files in submissions.items() if module.file in files}
        own = {}
        for name, functions in written.items():
            if similar := _compare(module.id, (name, ANSWER_KEY), functions, key):
                found.append(similar)
            else:
                own[name] = functions
        for one, other in combinations(own, 2):
            if similar := _compare(module.id, (one, other), own[one], own[other]):
                found.append(similar)
    return found


def _compare(
    module_id: str, names: tuple[str, str], one: Mapping[str, Function], other: Mapping[str, Function]
) -> Similar | None:
    size = min(_size(one.values()), _size(other.values()))
    if size < MIN_NODES:
        return None
    common = one.keys() & other.keys()
    exact = _size(one[name] for name in common if one[name].exact == other[name].exact) / size
    renamed = _size(one[name] for name in common if one[name].renamed == other[name].renamed) / size
    if renamed < ALIKE:
        return None
    return Similar(module_id, names, COPIED if exact >= ALIKE else RENAMED, min(renamed, 1.0))


def _size(functions: Iterable[Function]) -> int:
    return sum(function.size for function in functions)
