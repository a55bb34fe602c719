"""From a notebook to the code that its checked answers need.

Of a notebook's cells, the imports, the functions and classes, and the names given to literals and lambdas are kept:
everything that an answer may use. The rest, such as training on a corpus, is not run when a submission is graded. A
notebook is read as data: nothing in it is executed here.
"""

import ast
import json
import re
from collections.abc import Iterator, Sequence

from g2c.grading.policy import COURSE

NOTEBOOK = ".ipynb"
GLOBAL = "global "
"""Where a check puts values in the place of global names of the notebook, they travel as arguments whose names begin
with this, as no parameter's name does."""
MAX_CODE = 2**20
"""Characters of code that the cells of a notebook may have together."""
NOT_PYTHON = re.compile(r"^([ \t]*)(?:[%!?].*|[\w., \t]+=[ \t]*[%!].*|[\w.]+\?\??[ \t]*)$", re.MULTILINE)
"""Lines that Jupyter does itself: `%time`, `!ls`, `files = !ls` and `name?`. The group is the indentation."""


class NotANotebook(ValueError):
    """Why a file is not read as a notebook, as the end of a sentence."""


def notebook_code(content: bytes, packages: Sequence[str]) -> bytes:
    """The code of a notebook that its answers may use, as a Python file.

    A cell that is not valid Python is left out.

    Args:
        content: a file in the format of Jupyter, version 4: https://nbformat.readthedocs.io/en/latest/format_description.html
        packages: of the course, those that may be imported; imports of its others are left out.

    Raises:
        NotANotebook: the file is not in this format, or has too much code.
    """
    # Annotations may name what is not imported here.
    parts = ["from __future__ import annotations"]
    for source in _code_cells(content):
        try:
            wanted = [single for node in _parse(source).body if is_wanted(node, packages) for single in _singly(node)]
            # A statement that fails is left out, as in a notebook. Some errors are found only when it is compiled.
            part = ast.unparse(ast.Module([_attempt(node) for node in wanted], []))
            compile(part, "<cell>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        parts.append(part)
    return "\n".join(parts).encode("utf-8", errors="replace")


def _code_cells(content: bytes) -> Iterator[str]:
    """The sources of the code cells.

    Raises:
        NotANotebook: see `notebook_code`.
    """
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError):
        raise NotANotebook("it is not JSON") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NotANotebook("it has no list of cells")
    size = 0
    for cell in cells:
        kind = cell.get("cell_type") if isinstance(cell, dict) else None
        if kind in ("markdown", "raw"):
            continue
        source = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise NotANotebook("one of its cells has no source")
        size += len(source)
        if size > MAX_CODE:
            raise NotANotebook("its cells hold more than 1 MB")
        if kind == "code":
            yield source


def _parse(source: str) -> ast.Module:
    """The syntax tree of a cell, without the lines that are not Python."""
    source = source.replace("\r\n", "\n")
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.parse(NOT_PYTHON.sub(r"\1pass", source))


def is_wanted(node: ast.stmt, packages: Sequence[str]) -> bool:
    """Whether a statement is one of those that are kept."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return not _is_left_out(node, packages)
    return isinstance(node, ast.FunctionDef | ast.ClassDef) or _is_literal(node)


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


def _is_left_out(node: ast.Import | ast.ImportFrom, packages: Sequence[str]) -> bool:
    """Whether an import is of the course, but not of these packages; or of the future, which is only a first line's."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return True
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return any(
        f"{name}.".startswith(f"{COURSE}.") and not any(f"{name}.".startswith(f"{package}.") for package in packages)
        for name in names
    )
