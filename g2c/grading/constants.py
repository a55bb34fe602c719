"""Submissions that the scheme of points is derived from.

What passes with functions that return constants is worth no points.

>>> [sorted(files) for files in constant_files(["04", "04c"])]
[['batching', 'bpe'], ['batching', 'bpe']]
"""

import ast
from collections.abc import Iterable

from g2c.course.exercises import Exercise, Module, modules
from g2c.course.source import functions, parsed

EMPTY = {"dict": "{}", "list": "[]", "tuple": "()", "str": "''", "int": "0", "bytes": "b''"}
"""Type in the annotation of a result -> the empty value of this type. For all others, and unions, it is None."""


def constant_files(module_ids: Iterable[str]) -> list[dict[str, bytes]]:
    """Submissions that solve nothing: one that returns 1 everywhere, one with an empty result of the right type.

    Returns:
        for each submission, "bpe" -> the content of bpe.py, for each of the modules.
    """
    chosen = [modules()[module_id] for module_id in module_ids]
    return [{module.file: _with_bodies(module, body) for module in chosen} for body in ("return 1", "")]


def untouched_file(module: Module) -> bytes:
    """The exercise file without a solution, also where somebody has solved exercises in this checkout."""
    return _with_bodies(module, "raise NotImplementedError('TODO: {name}')")


def key_code(module: Module, exercises: Iterable[Exercise]) -> str:
    """The answer key's code for these exercises alone, as a line for the end of a student's file.

    It replaces the student's functions. It is inside a function, so that its imports change no name of the student's,
    and has a file name of its own, so that no report points to lines that the student has not written.
    """
    tree = parsed(module.key_file)
    body: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    for exercise in exercises:
        place = f"{exercise.class_name}.{exercise.name}" if exercise.class_name else f"globals()[{exercise.name!r}]"
        body += [functions(tree)[exercise.qualified_name], *ast.parse(f"{place} = {exercise.name}").body]
    wrapped = ast.parse("def _answer_key(): pass\n_answer_key()")
    vars(wrapped.body[0])["body"] = body
    return f"exec(compile({ast.unparse(wrapped)!r}, '<answer key>', 'exec'))"


def _with_bodies(module: Module, body: str) -> bytes:
    """The exercise file with this code for every exercise; with "", each returns an empty result."""
    tree = parsed(module.exercise_file)
    for exercise in module.exercises:
        function = functions(tree)[exercise.qualified_name]
        code = body.format(name=exercise.name) or f"return {_empty(function.returns)}"
        function.body = ast.parse(code, mode="exec").body
    return ast.unparse(tree).encode()


def _empty(annotation: ast.expr | None) -> str:
    """The empty value for the annotation of a result, as Python code."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return EMPTY.get(annotation.id, "None") if isinstance(annotation, ast.Name) else "None"
