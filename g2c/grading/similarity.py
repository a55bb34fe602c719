"""Submissions that share code: copied, copied with other names, or pasted from the answer key.

The functions that students write are compared as syntax trees: without comments, docstrings and annotations, and with
numbers in the place of local names. Short functions are often alike by chance, so a pair of submissions is named when
nearly all of what both wrote is the same.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from g2c.course.exercises import Module, modules
from g2c.grading.sources import Functions, read_exercise_file

ALIKE = 0.8
"""The share of the smaller submission's code that must be the same in the other."""
MIN_NODES = 120
"""Less code than this, in nodes of the syntax tree, is alike by chance."""
ANSWER_KEY = "the answer key"


class Similar(NamedTuple):
    """Two submissions, or one and the answer key, that share code."""

    module_id: str
    one: str
    other: str
    share: float
    """How much of the smaller one is in the other, from 0 to 1."""


def similar_submissions(submissions: Mapping[str, Mapping[str, Functions]]) -> list[Similar]:
    """Pairs of students whose code is nearly the same, and students who handed in the answer key.

    Code that is like the answer key does not make two students alike: it is reported once, for each of them.

    Args:
        submissions: student -> "bpe" -> the functions in bpe.py.
    """
    found = []
    for module in modules().values():
        key = read_exercise_file(module.key_file.read_bytes())["functions"] if module.key_file.is_file() else {}
        written = {name: files[module.file] for name, files in submissions.items() if module.file in files}
        pasted = {name: share for name, functions in written.items() if (share := _share(module, functions, key))}
        found += [Similar(module.id, name, ANSWER_KEY, share) for name, share in pasted.items()]
        for one, other in combinations([name for name in written if name not in pasted], 2):
            if share := _share(module, written[one], written[other]):
                found.append(Similar(module.id, one, other, share))
    return found


def _share(module: Module, one: Functions, other: Functions) -> float:
    """How much of the smaller one's exercises is in the other; 0 unless it is nearly all of it, and not too little."""
    names = [exercise.qualified_name for exercise in module.exercises]
    size = min(_size(functions[name] for name in names if name in functions) for functions in (one, other))
    same = _size(one[name] for name in names if name in one and name in other and one[name][1] == other[name][1])
    return min(same / size, 1.0) if size >= MIN_NODES and same >= ALIKE * size else 0.0


def _size(functions: Iterable[tuple[int, str]]) -> int:
    return sum(size for size, _ in functions)
