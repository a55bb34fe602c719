"""What the source of a submission says: its functions, as they are compared with others, and code worth a look.

For some short files Python's parser takes minutes or gigabytes: an f-string of 300,000 fields, a list of a million
numbers. So the files are read in the student's process, under its limits, and before any code in them runs.

>>> read_exercise_file(b"import gc")["unusual"]
[(1, 'gc')]
"""

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

LIBRARY = "a library that does the exercise"
TESTS = "no exercise needs the tests or what runs them"
INSIDE = "it inspects or changes running code or the interpreter"
SYSTEM = "it starts programs, or uses the system or the network"
KEY = "the answer key is not there when a submission is graded"
SWITCH = "G2C_SOLUTIONS"
UNUSUAL = {
    **dict.fromkeys(("tokenizers", "tiktoken", "transformers", "sentencepiece"), LIBRARY),
    **dict.fromkeys(("pytest", "unittest", "hypothesis", "conftest"), TESTS),
    **dict.fromkeys(("inspect", "gc", "ctypes", "importlib", "runpy", "pickle", "builtins", "atexit"), INSIDE),
    **dict.fromkeys(("exec", "eval", "compile", "__import__", "globals", "_getframe", "settrace"), INSIDE),
    **dict.fromkeys(("__globals__", "__subclasses__", "f_back", "gi_frame", "meta_path"), INSIDE),
    **dict.fromkeys(("subprocess", "socket", "threading", "_exit", "fork", "kill"), SYSTEM),
    "open": "it opens a file",
    "solutions": KEY,
    SWITCH: "it is the switch for the answer key",
}
"""Name of a module, function or attribute -> why an instructor may want to see the code that has it."""

Functions = dict[str, tuple[int, str]]
"""Qualified name of a function -> number of nodes in its syntax tree, and a fingerprint of the tree."""

_NAMES = re.compile(r"\bid='\w*'")
"""Names in what `ast.dump` returns."""


def read_exercise_file(content: bytes) -> dict[str, Any]:
    """What an exercise file says; nothing where it is not valid Python.

    Returns:
        "functions": see `Functions`, for each function that is written; "unusual": (line, name) for the first use of
        each name in `UNUSUAL`.
    """
    try:
        tree = ast.parse(content)
        unusual: dict[str, int] = {}
        for line, name in sorted(_names(tree)):
            if name in UNUSUAL:
                unusual.setdefault(name, line)
        # The comparison takes docstrings and names away, so it comes last.
        return {"functions": _functions(tree), "unusual": [(line, name) for name, line in unusual.items()]}
    except (SyntaxError, ValueError, RecursionError):
        return {"functions": {}, "unusual": []}


def _names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of everything that a file imports, and of all names and attributes in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            parts = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            yield from ((node.lineno, name) for part in parts for name in part.split("."))
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Constant) and node.value == SWITCH:
            yield node.lineno, SWITCH


# --- how a function is compared ---------------------------------------------------------------------------------------


def _functions(tree: ast.Module) -> Functions:
    """Every function that is written. Takes docstrings and names from the tree."""
    found = {}
    for owner in tree.body:
        for node in owner.body if isinstance(owner, ast.ClassDef) else [owner]:
            if isinstance(node, ast.FunctionDef) and not _is_todo(node):
                name = f"{owner.name}.{node.name}" if isinstance(owner, ast.ClassDef) else node.name
                found[name] = _fingerprint(node)
    return found


def _is_todo(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "NotImplementedError" for node in ast.walk(function))


def _fingerprint(function: ast.FunctionDef) -> tuple[int, str]:
    """The size of a function, and a fingerprint of it with numbers in the place of local names."""
    bare = _Bare().visit(function)
    arguments = [*bare.args.posonlyargs, *bare.args.args, *bare.args.kwonlyargs]
    local = {argument.arg for argument in arguments}
    local |= {node.id for node in ast.walk(bare) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    numbers: dict[str, str] = defaultdict(lambda: f"name{len(numbers)}")
    for node in ast.walk(bare):
        if isinstance(node, ast.Name) and node.id in local:
            node.id = numbers[node.id]
        elif isinstance(node, ast.arg) and node.arg in local:
            node.arg = numbers[node.arg]
    text = ast.dump(bare).encode("utf-8", errors="surrogatepass")
    return sum(1 for _ in ast.walk(bare)), hashlib.sha256(text).hexdigest()


class _Bare(ast.NodeTransformer):
    """Takes away what can be changed without a thought: docstrings, annotations, `pass`, the side of a comparison."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value else None

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`i += 1` as `i = i + 1`."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        return ast.Assign([node.target], ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`b > a` as `a < b`."""
        self.generic_visit(node)
        turned: dict[type[ast.cmpop], ast.cmpop] = {ast.Gt: ast.Lt(), ast.GtE: ast.LtE()}
        operator = node.ops[0]
        if len(node.ops) == 1 and type(operator) in turned:
            return ast.Compare(node.comparators[0], [turned[type(operator)]], [node.left])
        if len(node.ops) == 1 and isinstance(operator, (ast.Eq, ast.NotEq)):
            sides = sorted([node.left, node.comparators[0]], key=lambda side: _NAMES.sub("", ast.dump(side)))
            return ast.Compare(sides[0], [operator], [sides[1]])
        return node
