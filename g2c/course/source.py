"""Find the code of an exercise in a file, without importing the file."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course.exercises import Exercise


@dataclass(frozen=True)
class Function:
    """A function as it is written in a file."""

    line: int
    """Line of its `def`, counted from 1."""
    first_todo: int | None
    """Line of its first `raise NotImplementedError("TODO: …")`; None when no TODO is left."""
    is_started: bool
    """Whether it has code beside its TODO."""
    code: str
    """Its text without the docstring, from the `def` on, with the indentation of the file."""


def find_function(path: Path, exercise: Exercise) -> Function:
    """The code of `exercise` in the file `path`.

    Raises:
        CourseError: the file is missing, is not valid Python, or does not define the function. The message says where.
    """
    node = functions(parsed(path)).get(exercise.qualified_name)
    if node is None:
        raise CourseError(f"{display_path(path)} has no function {exercise.qualified_name}; it must keep this name.")
    todos = [todo.lineno for todo in todos_in(node)]
    code = _code_without_docstring(node, path.read_text(encoding="utf-8").splitlines())
    has_docstring = ast.get_docstring(node, clean=False) is not None
    return Function(node.lineno, min(todos, default=None), len(node.body) > 1 + has_docstring, code)


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Qualified name -> function, for the functions and methods of a file, from top to bottom.

    >>> list(functions(ast.parse("def pad(): pass\\nclass Tokenizer:\\n    def encode(self): pass")))
    ['pad', 'Tokenizer.encode']
    """
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            methods = [member for member in node.body if isinstance(member, ast.FunctionDef)]
            found |= {f"{node.name}.{method.name}": method for method in methods}
    return found


def todos_in(tree: ast.AST) -> Iterator[ast.Raise]:
    """Every `raise NotImplementedError("TODO: …")` below a node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and ast.unparse(node).startswith("raise NotImplementedError('TODO: "):
            yield node


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file. CourseError when it cannot be read, or, with the line, when it is not valid Python."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        where = f", line {error.lineno}" if error.lineno else ""
        raise CourseError(f"{display_path(path)}{where} is not valid Python: {error.msg}.") from None
    except (OSError, ValueError) as error:
        raise CourseError(f"{display_path(path)} cannot be read: {error}.") from None


def _code_without_docstring(node: ast.FunctionDef, lines: list[str]) -> str:
    if ast.get_docstring(node, clean=False) is None:
        return "\n".join(lines[node.lineno - 1 : node.end_lineno])
    docstring = node.body[0]
    return "\n".join(lines[node.lineno - 1 : docstring.lineno - 1] + lines[docstring.end_lineno : node.end_lineno])
