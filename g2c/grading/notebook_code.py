"""From a notebook to the code that its checked answers need.

Of a notebook's cells, the imports, the functions and classes, and the names given to literals and lambdas are kept:
everything that an answer may use. The rest, such as training on a corpus, is not run when a submission is graded. A
notebook is read as data: nothing in it is executed here.
"""

import ast
import json
import re

NOTEBOOK = ".ipynb"
GLOBAL = "global "
"""Where a check puts values in the place of global names of the notebook, they travel as arguments whose names begin
with this, as no parameter's name does."""
MAX_CODE = 2**20
"""Characters of code in all cells together."""
NOT_PYTHON = re.compile(r"^([ \t]*)(?:[%!?].*|[\w., \t]+=[ \t]*[%!].*|[\w.]+\?\??[ \t]*)$", re.MULTILINE)
"""Lines that Jupyter does itself: `%time`, `!ls`, `files = !ls` and `name?`. The group is the indentation."""


class NotANotebook(ValueError):
    """Why a file is not read as a notebook, as the end of a sentence."""


def notebook_code(content: bytes) -> bytes:
    """The code of a notebook that its answers may use, as a Python file.

    A cell that is not valid Python is left out.

    Args:
        content: a file in the format of Jupyter, version 4: https://nbformat.readthedocs.io/en/latest/format_description.html

    Raises:
        NotANotebook: the file is not in this format, or has too much code.
    """
    # Annotations may name what is not imported here.
    parts = ["from __future__ import annotations"]
    for source in _code_cells(content):
        try:
            part = definitions(_parse(source))
            # Some errors are found only when it is compiled.
            compile(part, "<cell>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        parts.append(part)
    return "\n".join(parts).encode("utf-8", errors="replace")


def definitions(tree: ast.Module, but: tuple[type[ast.stmt], ...] = ()) -> str:
    """The statements that are kept, as Python code. Each fails on its own: the others are run all the same.

    Args:
        tree: the syntax tree of a cell or file.
        but: further kinds of statements that are left out.
    """
    wanted = [
        single for node in tree.body if _is_wanted(node) and not isinstance(node, but) for single in _singly(node)
    ]
    return ast.unparse(ast.Module([_attempt(node) for node in wanted], []))


def _code_cells(content: bytes) -> list[str]:
    """The sources of the code cells.

    Raises:
        NotANotebook: see `notebook_code`.
    """
    try:
        cells = [cell["source"] for cell in json.loads(content)["cells"] if cell.get("cell_type") == "code"]
        sources = ["".join(source) for source in cells]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise NotANotebook("it is not in Jupyter's format") from None
    if sum(map(len, sources)) > MAX_CODE:
        raise NotANotebook("its cells have more than 1 MB of code")
    return sources


def _parse(source: str) -> ast.Module:
    """The syntax tree of a cell, without the lines that are not Python."""
    source = source.replace("\r\n", "\n")
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.parse(NOT_PYTHON.sub(r"\1pass", source))


def _is_wanted(node: ast.stmt) -> bool:
    """Whether a statement is one of those that are kept."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return False  # It is allowed in the first line of a file only.
    return isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef) or _is_literal(node)


def _attempt(node: ast.stmt) -> ast.stmt:
    """The statement, whose errors are ignored."""
    ignore = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])
    return ast.Try([node], [ignore], [], [])


def _singly(node: ast.stmt) -> list[ast.stmt]:
    """An import of several names as one import each, so that one that is not there leaves the others."""
    if not isinstance(node, ast.ImportFrom):
        return [node]
    return [ast.ImportFrom(node.module, [alias], node.level) for alias in node.names]


def _is_literal(node: ast.stmt) -> bool:
    """Whether a statement gives names to literals, or to a lambda: `NAME = 256`, `LOW, HIGH = 1, 9`."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [name for target in targets for name in (target.elts if isinstance(target, ast.Tuple) else [target])]
    if not all(isinstance(name, ast.Name) for name in names):
        return False
    try:
        if not isinstance(node.value, ast.Lambda):
            ast.literal_eval(node.value)
    except (ValueError, TypeError):
        return False
    return True
