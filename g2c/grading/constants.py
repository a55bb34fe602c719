"""Exercise files whose functions return constants: what passes with these is worth no points.

>>> [sorted(files) for files in constant_files(["04", "04c"])]
[['batching', 'bpe'], ['batching', 'bpe']]
"""

import ast
from collections.abc import Iterable

from g2c.course.exercises import Module, modules

EMPTY = {"dict": "{}", "list": "[]", "tuple": "()", "str": "''", "int": "0", "bytes": "b''"}
"""Type in the annotation of a result -> the empty value of this type. For all others, and unions, it is None."""


def constant_files(module_ids: Iterable[str]) -> list[dict[str, bytes]]:
    """Submissions that solve nothing: one that returns 1 everywhere, one with an empty result of the right type.

    Returns:
        for each submission, "bpe" -> the content of bpe.py, for each of the modules.
    """
    chosen = [modules()[module_id] for module_id in module_ids]
    return [{module.file: _with_constants(module, constant) for module in chosen} for constant in ("1", None)]


def _with_constants(module: Module, constant: str | None) -> bytes:
    """The exercise file with every exercise returning `constant`, or, for None, an empty result."""
    tree = ast.parse(module.exercise_file.read_bytes())
    names = {exercise.qualified_name for exercise in module.exercises}
    for owner in tree.body:
        for node in owner.body if isinstance(owner, ast.ClassDef) else [owner]:
            prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
            if isinstance(node, ast.FunctionDef) and prefix + node.name in names:
                node.body = ast.parse(f"return {constant or _empty(node.returns)}", mode="exec").body
    return ast.unparse(tree).encode()


def _empty(annotation: ast.expr | None) -> str:
    """The empty value for the annotation of a result, as Python code."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return EMPTY.get(annotation.id, "None") if isinstance(annotation, ast.Name) else "None"
