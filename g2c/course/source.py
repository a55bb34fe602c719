"""Find the code of an exercise in a file, without importing the file."""

import ast
from dataclasses import dataclass
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import shown
from g2c.course.exercises import Exercise


@dataclass(frozen=True)
class Function:
    """A function as it stands in a file."""

    line: int
    """Line of its `def`, counted from 1."""
    first_todo: int | None
    """Line of its `raise NotImplementedError("TODO: …")`; None when it has none left."""
    code: str
    """Its text without the docstring, from the `def` on, with the indent of the file."""


def find_function(path: Path, exercise: Exercise) -> Function:
    """The code of `exercise` in the file `path`.

    Raises:
        CourseError: the file is missing, is not valid Python, or does not have the function. The message says where.
    """
    text = read_source(path)
    body = parse_source(path, text).body
    if exercise.class_name:
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == exercise.class_name]
        body = [member for node in classes for member in node.body]
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == exercise.name]
    if not functions:
        raise CourseError(f"{shown(path)} has no function {exercise.qualified_name}; it must keep this name.")
    node = functions[-1]
    todos = [inner.lineno for inner in ast.walk(node) if _is_todo(inner)]
    return Function(node.lineno, min(todos, default=None), _code_without_docstring(node, text.splitlines()))


def read_source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{shown(path)} cannot be read: {error}.") from None


def parse_source(path: Path, text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        where = f", line {error.lineno}" if getattr(error, "lineno", None) else ""
        raise CourseError(f"{shown(path)}{where} is not valid Python: {getattr(error, 'msg', error)}.") from None


def _is_todo(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and ast.unparse(node).startswith("raise NotImplementedError('TODO")


def _code_without_docstring(node: ast.FunctionDef, lines: list[str]) -> str:
    if ast.get_docstring(node, clean=False) is None:
        return "\n".join(lines[node.lineno - 1 : node.end_lineno])
    docstring = node.body[0]
    return "\n".join(lines[node.lineno - 1 : docstring.lineno - 1] + lines[docstring.end_lineno : node.end_lineno])
