"""Submissions that share code: copied, copied with other names, or pasted from the answer key.

The functions that students write are compared as syntax trees: without comments, docstrings and annotations, so that
layout does not matter, and once more with local names replaced by numbers. Short functions are often alike by chance,
so a pair of submissions is named when nearly all of what both wrote is the same.
"""

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from g2c.course.exercises import Module, modules

ALIKE = 0.8
"""The share of the smaller submission's code that must be the same in the other."""
LEAST_NODES = 120
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


@dataclass(frozen=True)
class Function:
    """A function that a student wrote, as it is compared with those of others."""

    size: int
    """Number of nodes in its syntax tree."""
    exact: str
    renamed: str
    """Fingerprints of the tree: as it is, and with numbers in the place of local names."""


def similar_submissions(submissions: Mapping[str, Mapping[str, Mapping[str, Function]]]) -> list[Similar]:
    """Pairs of students whose code is nearly the same, and students who handed in the answer key.

    Code that is like the answer key does not make two students alike: it is reported once, for each of them.

    Args:
        submissions: student -> "bpe" -> the functions in bpe.py.
    """
    found = []
    for module in modules().values():
        key = functions_in(module, ast.parse(module.key_file.read_bytes())) if module.key_file.is_file() else {}
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


def functions_in(module: Module, tree: ast.Module) -> dict[str, Function]:
    """The exercises' functions that are written, by qualified name. Takes docstrings and names from the tree."""
    names = {exercise.qualified_name for exercise in module.exercises}
    found = {}
    for owner in tree.body:
        for node in owner.body if isinstance(owner, ast.ClassDef) else [owner]:
            name = f"{owner.name}.{node.name}" if isinstance(owner, ast.ClassDef) and hasattr(node, "name") else ""
            if isinstance(node, ast.FunctionDef) and (name or node.name) in names and not _is_stub(node):
                found[name or node.name] = _function(node)
    return found


def _is_stub(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "NotImplementedError" for node in ast.walk(function))


def _function(function: ast.FunctionDef) -> Function:
    bare = _Bare().visit(function)
    exact = _fingerprint(bare)
    arguments = [*bare.args.posonlyargs, *bare.args.args, *bare.args.kwonlyargs]
    local = {argument.arg for argument in arguments}
    local |= {node.id for node in ast.walk(bare) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    numbers: dict[str, str] = defaultdict(lambda: f"name{len(numbers)}")
    for node in ast.walk(bare):
        if isinstance(node, ast.Name) and node.id in local:
            node.id = numbers[node.id]
        elif isinstance(node, ast.arg) and node.arg in local:
            node.arg = numbers[node.arg]
    return Function(sum(1 for _ in ast.walk(bare)), exact, _fingerprint(bare))


def _fingerprint(tree: ast.AST) -> str:
    return hashlib.sha256(ast.dump(tree).encode("utf-8", errors="surrogatepass")).hexdigest()


class _Bare(ast.NodeTransformer):
    """Takes docstrings and annotations away."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value else ast.Pass()


def _compare(
    module_id: str, names: tuple[str, str], one: Mapping[str, Function], other: Mapping[str, Function]
) -> Similar | None:
    size = min(_size(one.values()), _size(other.values()))
    if size < LEAST_NODES:
        return None
    common = one.keys() & other.keys()
    exact = _size(one[name] for name in common if one[name].exact == other[name].exact) / size
    renamed = _size(one[name] for name in common if one[name].renamed == other[name].renamed) / size
    if renamed < ALIKE:
        return None
    return Similar(module_id, names, COPIED if exact >= ALIKE else RENAMED, min(renamed, 1.0))


def _size(functions: Iterable[Function]) -> int:
    return sum(function.size for function in functions)
