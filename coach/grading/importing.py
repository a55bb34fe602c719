"""Imports a student's file as far as it goes, in the pupil's process, and repairs small faults of form.

So a missing colon or return, a class of another name, methods outside the class, a missing library, a call of `input()`
or `exit()`, a loop at the end of the file, or a function that is not valid Python leaves the rest of the file usable.
"""

import ast
import math
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import decode_source, find_spec, module_from_spec
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from coach.testing.limits import Guard, Limits, OverLimit

STATEMENT_SECONDS = 2.0
"""Processor time for a statement outside functions."""
MAX_FAULTS, MAX_FAULT, MAX_SHOWN_LINE = 20, 250, 80
"""Faults that are named, before the file is not valid Python; characters of a note, and of a line in it."""
MAX_LEFT_OUT = 5
"""Parts of invalid Python that are left out."""
_OF_BLOCK = re.compile(r"^expected an indented block after .* on line (\d+)$")
_FUNCTION_OR_STATEMENT = re.compile(
    r"^(?=(([ \t]*)(?:@.*\n\2)*(?:(?:async +)?def\b|(?<![ \t])\S).*\n"
    r"(?:\2(?:[ \t]+\S|[)\]}]).*\n|[ \t]*\n)*))",
    re.MULTILINE,
)
"""A function or a statement that is not indented, with its decorators and whatever is indented below it."""
_IN_CLASS = re.compile(r"(([ \t]+)\S.*\n(?:\2[ \t]+\S.*\n|[ \t]*\n)*)")
"""A line in a class, such as a method whose `def` is misspelled, with whatever is indented below it."""
_REPAIRS = [
    ("expected ':'|invalid syntax", r"\belse\s+if\b", "elif"),
    ("expected ':'|invalid syntax", r"\s*(#.*)?$", r":  \1"),
    ("Missing parentheses in call to 'print'", r"\bprint\s+(.*)", r"print(\1)"),
    ("Maybe you meant '=='|cannot assign to", r"(?<![-=!<>+*/%])=(?!=)", "=="),
    ("was never closed", r"\s*(:?)\s*(#.*)?$", r")\1  \2"),
    ("unmatched '\\)'", r"\)(?=[^)]*$)", ""),
    ("invalid syntax", r"(\w+)\+\+", r"\1 += 1"),
    ("invalid syntax|unexpected", r"&&", " and "),
    ("invalid syntax", r"\|\|", " or "),
    ("", r"^(<{7}|\|{7}|={7}|>{7})( .*)?$", "# a conflict mark of git"),
]
"""A SyntaxError's message -> how its line may be repaired: a pattern, and what takes the place of its first match."""

_DOES_SOMETHING = {
    *("add", "append", "clear", "discard", "extend", "insert", "pop", "print", "remove", "reverse", "setdefault"),
    *("setattr", "sort", "update"),
}
"""Functions and methods that are called for what they do, and not for what they return."""

Wanted = tuple[tuple[str, bool], ...]
"""The qualified name of each exercise of a module, such as "BPETokenizer.encode", and whether it returns a value."""


@cache
def import_what_works(name: str, wanted: Wanted = ()) -> tuple[ModuleType, list[str]]:
    """Import a module statement by statement. Return it, and a note on each fault: repaired, or left out."""
    if name in sys.modules:  # Another exercise file has imported it.
        return sys.modules[name], []
    spec = find_spec(name)
    assert spec and spec.origin
    notes: list[str] = []
    tree = _valid(decode_source(Path(spec.origin).read_bytes()) + "\n", spec.origin, notes)
    _add_returns(tree, wanted, notes)
    module = sys.modules[name] = module_from_spec(spec)
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    guard = Guard(lambda file: file == spec.origin, Limits(seconds=STATEMENT_SECONDS))
    for node in tree.body:
        code = compile(ast.Module([*future, node], []), spec.origin, "exec", dont_inherit=True)
        try:
            with guard.watch():
                exec(code, vars(module))
        except BaseException as error:
            text = ast.unparse(node).partition("\n")[0][:MAX_SHOWN_LINE]
            why = "it does not finish" if isinstance(error, OverLimit) else f"{type(error).__name__}: {error}"
            notes.append(f"line {node.lineno} is left out: {text} ({why})")
    _find_methods(module, wanted, notes)
    return module, [note[:MAX_FAULT] for note in notes[:MAX_FAULTS]]


# --- what is not valid Python -----------------------------------------------------------------------------------------


def _valid(source: str, file: str, notes: list[str], left_out: int = 0) -> ast.Module:
    """Parse a file, with repairs of single lines, and without the functions that are still not valid Python."""
    error = _problem(source, file)
    if not error:
        return ast.parse(source)
    number = error.lineno or 1
    if len(notes) < MAX_FAULTS:
        repaired = [(candidate, _problem(candidate, file)) for candidate in _repaired(source, error)]
        further = [(_line_of(after), candidate) for candidate, after in repaired if _line_of(after) > number]
        if further:
            # Of several, the one that leads furthest, for instance because the file is then valid.
            _, candidate = max(further, key=itemgetter(0))
            changed = candidate.split("\n")[number - 1].strip()[:MAX_SHOWN_LINE]
            notes.append(f"line {number} was read as: {changed} ({error.msg})")
            return _valid(candidate, file, notes, left_out)
    found = _OF_BLOCK.search(error.msg)
    number = max(int(found[1]) if found else number, 1)
    before = sum(len(line) + 1 for line in source.split("\n")[: number - 1])
    parts = [part for part in _FUNCTION_OR_STATEMENT.finditer(source) if part.start() <= before < part.end(1)]
    if not parts or left_out == MAX_LEFT_OUT:
        raise error
    part = parts[-1]
    if part[1].startswith("class "):
        part = _IN_CLASS.match(source, before) or part
    start, end = part.span(1)
    first, text = source.count("\n", 0, start) + 1, part[1].strip().partition("\n")[0]
    notes.append(f"line {first} is left out: {text[:MAX_SHOWN_LINE]} (line {error.lineno}: {error.msg})")
    # Empty lines take its place, so the following ones keep their numbers.
    without = source[:start] + "\n" * part[1].count("\n") + source[end:]
    return _valid(without, file, notes, left_out + 1)


def _problem(source: str, file: str) -> SyntaxError | None:
    """Return why a file is not valid Python; None if it is."""
    try:
        compile(source, file, "exec", dont_inherit=True)  # The parser alone misses some errors.
    except SyntaxError as error:
        return error
    return None


def _line_of(error: SyntaxError | None) -> float:
    return math.inf if error is None else error.lineno or 0


def _repaired(source: str, error: SyntaxError) -> Iterator[str]:
    """Yield the file with its wrong line repaired, in each way that the error suggests."""
    if isinstance(error, TabError):
        yield from (source.expandtabs(4), source.expandtabs(8))
    if "U+00A0" in error.msg:
        yield source.replace("\u00a0", " ")
    lines, number = source.split("\n"), max(error.lineno or 1, 1) - 1
    line = lines[number] if number < len(lines) else ""
    repairs = [
        re.sub(pattern, new, line, count=1).rstrip() for of, pattern, new in _REPAIRS if re.search(of, error.msg)
    ]
    if isinstance(error, IndentationError):
        above = next((each for each in reversed(lines[:number]) if each.strip()), "")
        repairs.append(above[: len(above) - len(above.lstrip())] + line.lstrip())
    for repair in repairs:
        if repair != line:
            yield "\n".join([*lines[:number], repair, *lines[number + 1 :]])


# --- exercises that are not quite where they belong -------------------------------------------------------------------


def _add_returns(tree: ast.Module, wanted: Wanted, notes: list[str]) -> None:
    """Let exercises that return nothing return what their last line computes, or else the variable that they fill."""
    names = {name.rpartition(".")[2] for name, returns in wanted if returns}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            *_, last = node.body
            filled = [name for each in _own_nodes(node) if (name := _filled(each))]
            result = last.value if _computes(last) else ast.Name(filled[-1], ast.Load()) if filled else None
            if result and not isinstance(last, ast.Raise) and not returns_a_value(node):
                added = ast.copy_location(ast.Return(result), last)
                node.body[-1:] = [added] if _computes(last) else [last, added]
                ast.fix_missing_locations(node)
                shown = f"`{ast.unparse(added)[:MAX_SHOWN_LINE]}`"
                notes.append(f"line {node.end_lineno}: {node.name} returns nothing; it was graded with {shown}")


def returns_a_value(function: ast.FunctionDef) -> bool:
    """Say whether a function has a `yield`, or a `return` of something but None."""
    return any(
        isinstance(node, ast.Yield | ast.YieldFrom)
        or isinstance(node, ast.Return)
        and node.value is not None
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        for node in _own_nodes(function)
    )


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield everything in a function but what is in a function within it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            yield node
            yield from _own_nodes(node)


def _computes(node: ast.stmt) -> TypeGuard[ast.Expr]:
    """Say whether a statement computes a value and does nothing else, as far as one sees, so that it lacks a return."""
    if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant):
        return False
    called = node.value.func if isinstance(node.value, ast.Call) else None
    return getattr(called, "id", getattr(called, "attr", "")) not in _DOES_SOMETHING


def _filled(node: ast.AST) -> str:
    """Return the variable that a statement adds to: `x.append(y)`, `x[y] = z`, `x[y] += z`; "" for any other."""
    place: ast.AST | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "extend"):
        place = node.func.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        place = node.value
    return place.id if isinstance(place, ast.Name) else ""


def _find_methods(module: ModuleType, wanted: Wanted, notes: list[str]) -> None:
    """Take a class of another name, and functions outside the class, for those that the tests call."""
    of_class: dict[str, list[str]] = {}
    for full, _ in wanted:
        class_name, _, name = full.rpartition(".")
        of_class.setdefault(class_name, []).append(name)
    functions = of_class.pop("", [])
    own = {name: each for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
    for class_name, names in of_class.items():
        kind = own.get(class_name)
        others = [each for each in own.values() if isinstance(each, type) and not vars(each).keys().isdisjoint(names)]
        if kind is None and len(others) == 1 and others[0].__name__ not in of_class:
            kind = others[0]
            notes.append(f"class {kind.__name__} was graded as {class_name}, which should be its name")
            kind.__name__ = kind.__qualname__ = class_name  # Its objects travel under this name.
            setattr(module, class_name, kind)
        outside = [name for name in names if name in own and name not in functions and _is_todo(kind, name)]
        if outside and kind is None:
            given = [each for each in vars(module).values() if isinstance(each, type) and each not in own.values()]
            own_package = f"{module.__name__.partition('.')[0]}."
            kind = type(class_name, tuple(each for each in given if each.__module__.startswith(own_package))[:1], {})
            setattr(module, class_name, kind)
        for name in outside:
            code = getattr(own[name], "__code__", None)
            is_method = code is None or code.co_varnames[:1] == ("self",)
            setattr(kind, name, own[name] if is_method else staticmethod(own[name]))
        if outside:
            verb = "was graded as a method" if len(outside) == 1 else "were graded as methods"
            notes.append(f"{' and '.join(outside)} {verb} of {class_name}, though written outside the class")


def _is_todo(kind: Any, name: str) -> bool:
    """Say whether a class lacks a method, or has it as handed out."""
    code = getattr(vars(kind).get(name) if kind else None, "__code__", None)
    return code is None or f"TODO: {name}" in code.co_consts
