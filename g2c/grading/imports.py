"""Imports a student's file without the statements that fail, and names these."""

import ast
import importlib
import re
import sys
from importlib.util import decode_source, find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

from g2c.course.testing.limits import OverLimit

MAX_LEFT_OUT = 5
"""Statements that are named, and parts of invalid Python that are left out."""
DEFINITION = re.compile(r"(async\s+)?def\b")
_OF_BLOCK = re.compile(r"^expected an indented block after .* on line (\d+)$")


def import_what_works(name: str) -> tuple[ModuleType, list[str]]:
    """Import a module. If that raises an error, run its statements one by one, and leave out those that raise one.

    So a missing library, a call of `input()` or `exit()`, a test at the end of the file, or a function that is not
    valid Python leaves the rest of the file usable.
    """
    try:
        return importlib.import_module(name), []
    except (OverLimit, MemoryError):
        raise
    except BaseException:
        return _one_by_one(name)


def _one_by_one(name: str) -> tuple[ModuleType, list[str]]:
    spec = find_spec(name)
    assert spec and spec.origin
    module = sys.modules[name] = module_from_spec(spec)
    left_out: list[str] = []
    body = _valid(decode_source(Path(spec.origin).read_bytes()), spec.origin, left_out).body
    future = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    for node in body:
        code = compile(ast.Module([*future, node], []), spec.origin, "exec", dont_inherit=True)
        try:
            exec(code, vars(module))
        except (OverLimit, MemoryError):
            raise
        except BaseException as error:
            if len(left_out) == MAX_LEFT_OUT:
                continue
            text = ast.unparse(node).partition("\n")[0][:80]
            left_out.append(f"line {node.lineno} is left out: {text} ({type(error).__name__}: {error})"[:250])
    return module, left_out


def _valid(source: str, file: str, left_out: list[str]) -> ast.Module:
    """Parse a file without the functions that are not valid Python, which are added to `left_out`."""
    try:
        compile(source, file, "exec", dont_inherit=True)  # The parser alone misses some errors.
        return ast.parse(source)
    except SyntaxError as error:
        lines = source.splitlines(keepends=True)
        place = _OF_BLOCK.search(error.msg)
        part = _part_around(lines, int(place[1]) if place else error.lineno or 0)
        if not part or len(left_out) == MAX_LEFT_OUT:
            raise
        first = lines[part[0]].strip()
        left_out.append(f"line {part[0] + 1} is left out: {first[:80]} (line {error.lineno}: {error.msg})"[:250])
        for row in part:
            lines[row] = "\n"  # So the following lines keep their numbers.
        return _valid("".join(lines), file, left_out)


def _part_around(lines: list[str], number: int) -> range:
    """Return the rows of the function around a line, or else of the statement that is not indented."""
    rows = [(place, line.lstrip(), len(line) - len(line.lstrip())) for place, line in enumerate(lines) if line.strip()]
    for start, text, indentation in reversed([row for row in rows if row[0] < number]):
        if DEFINITION.match(text) or not indentation:
            after = [
                place for place, text, level in rows if place > start and level <= indentation and text[0] not in ")]}"
            ]
            end = after[0] if after else len(lines)
            if number <= end:
                while lines[start - 1].lstrip().startswith("@"):
                    start -= 1
                return range(start, end)
    return range(0)
