"""Finds the code of an exercise in a file without importing the file. All reading of source goes through here."""

import ast
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from coach.common.errors import CourseError
from coach.common.paths import display_path
from coach.exercises import Exercise, Module
from coach.testing.report import Excerpt, Place


class SourceError(CourseError):
    """Says why a Python file cannot be used, with the line unless it is 0, and the code there."""

    def __init__(self, path: Path, line: int, what: str, excerpt: Excerpt | None = None) -> None:
        self.place, self.what, self.excerpt = Place("", display_path(path), line), what, excerpt
        self.sentence = f"{self.place if line else self.place.file} {what}"
        self.code = "\n".join(excerpt.rows()) if excerpt else ""
        super().__init__("\n".join(filter(None, (self.sentence, self.code))))


class EmptyFileError(SourceError):
    """Says that a Python file defines nothing."""


@dataclass(frozen=True)
class Function:
    line: int
    first_todo: int | None
    """Line of its first `raise NotImplementedError("TODO: …")`; None when no TODO is left."""
    is_started: bool
    """Whether it has code besides its TODO."""
    code: str
    """Its text from the `def` on, without the docstring, indented as in the file."""


def find_function(path: Path, exercise: Exercise) -> Function:
    """Find the code of an exercise in a file. CourseError: the file is missing, not valid, or has no such function."""
    node = functions(parsed(path)).get(exercise.qualified_name)
    if node is None:
        raise CourseError(f"{display_path(path)} has no function {exercise.qualified_name}; it must keep this name.")
    todos = [todo.lineno for todo in todos_in(node)]
    lines = lines_of(path)[: node.end_lineno]
    docstring = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    if docstring:
        lines[docstring.lineno - 1 : docstring.end_lineno] = []
    code = "\n".join(lines[node.lineno - 1 :])
    return Function(node.lineno, min(todos, default=None), len(node.body) > 1 + bool(docstring), code)


def key_code(module: Module, exercises: Iterable[Exercise]) -> str:
    """Return code that, at the end of an exercise file, gives these exercises the answer key's functions.

    There it takes the place of whatever the file defines, even if the rest is not valid Python.
    """
    tree = parsed(module.key_file)
    lines, found = lines_of(module.key_file), functions(tree)
    # The names that the key takes from the exercise file are there.
    parts = [
        ast.unparse(node)
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        if getattr(node, "module", "") not in (module.package, module.import_name)
    ]
    for exercise in exercises:
        node = found[exercise.qualified_name]
        code = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        if exercise.class_name:
            code = f"class _Key:\n{code}\n\n\n{exercise.qualified_name} = _Key.{exercise.name}"
        parts.append(code)
    return "".join(f"\n\n\n{part}" for part in parts) + "\n"


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Return qualified name -> function, for the functions and methods of a file: "pad", "Tokenizer.encode"."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            methods = [member for member in node.body if isinstance(member, ast.FunctionDef)]
            found |= {f"{node.name}.{method.name}": method for method in methods}
    return found


def todos_in(tree: ast.AST) -> Iterator[ast.Raise]:
    """Yield every `raise NotImplementedError("TODO: …")` below a node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and ast.unparse(node).startswith("raise NotImplementedError('TODO: "):
            yield node


def parsed(path: Path) -> ast.Module:
    """Parse a Python file. SourceError says why it cannot be read or compiled, and shows the line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(path, 0, f"cannot be read: {error.strerror}.") from None
    try:
        lines = lines_of(path)
    except (SyntaxError, UnicodeDecodeError):
        reason = "its bytes are not UTF-8 text. Save the file as UTF-8"
        raise SourceError(path, 0, _NOT_VALID.format(reason)) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Some code parses but does not compile, such as a return outside a function.
            compile(data, str(path), "exec", dont_inherit=True)
            return ast.parse(data)
    except SyntaxError as error:
        if not error.lineno:
            raise SourceError(path, 0, _NOT_VALID.format(error.msg)) from None
        text = lines[error.lineno - 1] if error.lineno <= len(lines) else ""
        place = Place("", display_path(path), error.lineno)
        shows_place = error.offset and (error.text or text).strip() == text.strip()
        excerpt = Excerpt(place, (text.rstrip(),), error.offset - 1 if error.offset and shows_place else None)
        is_conflict = text.startswith(("<<<<<<< ", "=======", ">>>>>>> "))
        reason = _CONFLICT if is_conflict else error.msg.rstrip(".") + _cause(lines, error.lineno, error.msg)
        raise SourceError(path, error.lineno, _NOT_VALID.format(reason), excerpt) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(path, 0, _NOT_VALID.format(str(error) or "it is nested too deeply")) from None


def _cause(lines: list[str], line: int, message: str) -> str:
    """Say what further up leads to a syntax error, if it is a docstring without an end or code at the left margin."""
    opened = method = margin = 0
    for number, text in enumerate(lines, start=1):
        if opened and text.lstrip().startswith(("def ", "class ")):
            return f". The docstring that begins in line {opened} has no end: three quotes are missing after it"
        if text.count('"""') % 2:
            opened = 0 if opened else number
        if number < line and text.startswith("    def "):
            method, margin = number, 0
        elif number < line and text and text[0] not in " #)":
            margin = margin or number
    if message == "unexpected indent" and method and margin:
        return f". Line {margin} is at the left margin, which ends the class: indent what belongs to the function above"
    return ""


_NOT_VALID = "is not valid Python: {}."
_CONFLICT = "git has left a conflict here. Keep one of the two versions, and delete the three lines that mark them"


def lines_of(path: Path) -> list[str]:
    """Return the lines of a Python file as Python counts them, in the encoding that the file declares."""
    with tokenize.open(path) as file:
        return file.read().split("\n")
