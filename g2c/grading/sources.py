"""What the source of a submission says: its functions, as they are compared with others, and what it uses.

For some short files Python's parser takes minutes or gigabytes: an f-string of 300,000 fields, a list of a million
numbers. So the files are read in the student's process, under limits, and before any code in them runs. What comes back
is plain data (wire.py).

>>> read_exercise_file(b"import gc")["uses"]
[(1, 'imports', 'gc')]
"""

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from g2c.grading.notebook_code import NotANotebook, notebook_code

READING_SECONDS = 2
"""Processor time for one file. An exercise file takes some hundredths of a second."""
READING_MEGABYTES = 1024
TOO_COSTLY = f"Python's parser cannot read it within {READING_SECONDS} seconds and {READING_MEGABYTES:,} MB of memory"
NOTEBOOK = ".ipynb"
MAX_LINES = 2000
MAX_LINE = 160
LINE_ENDS = re.compile(rb"\r\n|\r|\n")
"""What Python takes for the end of a line."""
NAMES = re.compile(r"\bid='\w*'")
"""Names in what `ast.dump` returns."""
SWITCH = "G2C_SOLUTIONS"
"""The environment variable that hands out the answer key."""

Use = tuple[int, str, str]
"""Line, verb and name of something that a file uses: (3, "imports", "gc"). The verbs are "imports", "calls", "calls a
method", and "uses" for attributes and for the switch of the answer key."""


@dataclass(frozen=True)
class Function:
    """A function that a student wrote, as it is compared with those of others."""

    size: int
    """Number of nodes in its syntax tree."""
    exact: str
    renamed: str
    """Fingerprints of the tree: as it is, and with numbers in the place of local names."""


def read_exercise_file(content: bytes) -> dict[str, Any]:
    """What an exercise file says.

    Returns:
        "functions": qualified name -> the fields of `Function`, for each function without a TODO; "lines": qualified
        name -> the lines of code in a function, without signature, docstring, comments and empty lines; "uses": a list
        of what it uses, see `Use`. All are empty where the file is not valid Python.
    """
    try:
        tree = ast.parse(content)
        lines = _lines_of(tree, content)
        uses = uses_of(tree)
        # The comparison takes docstrings and names away, so it comes last.
        return {"functions": _functions_in(tree), "lines": lines, "uses": uses}
    except (SyntaxError, ValueError, RecursionError):
        return {"functions": {}, "lines": {}, "uses": []}


def read_notebook(content: bytes, packages: Sequence[str]) -> dict[str, Any]:
    """What the code of a notebook uses.

    Args:
        content: the notebook.
        packages: of the course, those that may be imported.

    Returns:
        "uses", see `Use`, with lines that are not those of the cells; or "problem", why it is not read as a notebook.
    """
    try:
        return {"uses": uses_of(ast.parse(notebook_code(content, packages)))}
    except NotANotebook as reason:
        return {"problem": str(reason)}


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Qualified name and node of the functions in a file and in its classes."""
    for owner in tree.body:
        for node in owner.body if isinstance(owner, ast.ClassDef) else [owner]:
            if isinstance(node, ast.FunctionDef):
                yield (f"{owner.name}.{node.name}" if isinstance(owner, ast.ClassDef) else node.name), node


def _lines_of(tree: ast.Module, content: bytes) -> dict[str, list[str]]:
    source = [line[: 4 * MAX_LINE].decode("utf-8", errors="replace") for line in LINE_ENDS.split(content)]
    found, room = {}, MAX_LINES
    for name, node in _functions(tree):
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        lines = source[body[0].lineno - 1 : node.end_lineno] if body else []
        kept = [line.rstrip()[:MAX_LINE] for line in lines if line.strip()[:1] not in ("", "#")]
        found[name] = kept[:room]
        room -= len(found[name])
    return found


# --- what a file uses -------------------------------------------------------------------------------------------------


def uses_of(tree: ast.Module) -> list[Use]:
    """What a file imports, calls and looks up, in the order of its lines; each with the first line only."""
    found: dict[tuple[str, str], int] = {}
    imported = {name.split(".")[-1] for _, name in imported_names(tree)}
    uses = [(line, "imports", name) for line, name in imported_names(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            uses.append((node.lineno, "calls", node.func.id))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # `self.load()` is a call of a method, `json.load()` of a function.
            of_module = getattr(node.func.value, "id", None) in imported
            uses.append((node.lineno, "calls" if of_module else "calls a method", node.func.attr))
        elif isinstance(node, ast.Attribute):
            uses.append((node.lineno, "uses", node.attr))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and SWITCH in node.value:
            uses.append((node.lineno, "uses", SWITCH))
    for line, verb, name in sorted(uses):
        found.setdefault((verb, name), line)
    return [(line, verb, name) for (verb, name), line in found.items()]


def imported_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module or ''}.{alias.name}") for alias in node.names)


# --- how a function is compared ---------------------------------------------------------------------------------------


def _functions_in(tree: ast.Module) -> dict[str, list[int | str]]:
    """The fields of `Function` for every function that is written. Takes docstrings and names from the tree."""
    found: dict[str, list[int | str]] = {}
    for name, node in _functions(tree):
        if not any(isinstance(inner, ast.Name) and inner.id == "NotImplementedError" for inner in ast.walk(node)):
            function = _fingerprints(node)
            found[name] = [function.size, function.exact, function.renamed]
    return found


def _fingerprints(function: ast.FunctionDef) -> Function:
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
            sides = sorted([node.left, node.comparators[0]], key=lambda side: NAMES.sub("", ast.dump(side)))
            return ast.Compare(sides[0], [operator], [sides[1]])
        return node
