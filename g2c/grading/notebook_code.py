"""The code of a notebook that its checked answers need, run in the student's process.

Of a notebook's cells, the imports, the functions and classes, and the names given to literals and lambdas are run:
everything that an answer may use. The rest, such as training on a corpus, is not.
"""

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

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


def run_definitions(content: bytes, names: dict[str, Any], file: str = "<notebook>") -> None:
    """Run the code that answers may use, each statement alone: one that fails leaves the others.

    Args:
        content: see `cells_of`.
        names: the global names of the code.
        file: what tracebacks call it.

    Raises:
        NotANotebook: the file is not in Jupyter's format, or has too much code.
    """
    sources = [cell["source"] for cell in cells_of(content) if cell.get("cell_type") == "code"]
    if sum(map(len, sources)) > MAX_CODE:
        raise NotANotebook("its cells have more than 1 MB of code")
    # Annotations may name what is not imported here.
    future = ast.parse("from __future__ import annotations").body
    for source in sources:
        tree = ast.Module([], [])
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            tree = _parse(source)
        for node in filter(is_definition, tree.body):
            for single in _singly(node):
                with suppress(Exception):
                    exec(compile(ast.Module([*future, single], []), file, "exec"), names)


def is_definition(node: ast.stmt) -> bool:
    """Whether a statement is one of those that are run."""
    return isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef) or _is_literal(node)


def cells_of(content: bytes) -> list[dict[str, Any]]:
    """The cells of a notebook, each with its source as one text.

    Args:
        content: a file in the format of Jupyter, version 4: https://nbformat.readthedocs.io/en/latest/format_description.html

    Raises:
        NotANotebook: it is not in this format.
    """
    try:
        return [cell | {"source": "".join(cell.get("source", ""))} for cell in json.loads(content)["cells"]]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise NotANotebook("it is not in Jupyter's format") from None


def _parse(source: str) -> ast.Module:
    """The syntax tree of a cell, without the lines that are not Python."""
    source = source.replace("\r\n", "\n")
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.parse(NOT_PYTHON.sub(r"\1pass", source))


def _singly(node: ast.stmt) -> Iterator[ast.stmt]:
    """An import of several names as one import each, so that one that is not there leaves the others."""
    if not isinstance(node, ast.ImportFrom):
        yield node
        return
    for alias in node.names:
        yield ast.ImportFrom(node.module, [alias], node.level, lineno=node.lineno, col_offset=0)


def _is_literal(node: ast.stmt) -> bool:
    """Whether a statement gives names to literals, or to a lambda: `NAME = 256`, `LOW, HIGH = 1, 9`."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [name for target in targets for name in (target.elts if isinstance(target, ast.Tuple) else [target])]
    if not all(isinstance(name, ast.Name) for name in names):
        return False
    with suppress(ValueError, TypeError):
        if not isinstance(node.value, ast.Lambda):
            ast.literal_eval(node.value)
        return True
    return False
