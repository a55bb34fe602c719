"""Import a student's file as far as it goes: what fails outside of functions is left out and named."""

import ast
import importlib
import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

from g2c.course.testing.limits import OverLimit

MAX_LEFT_OUT = 5
"""Statements that are named."""


def import_what_works(name: str) -> tuple[ModuleType, list[str]]:
    """Import a module. If that raises an error, run its statements one by one, and leave out those that raise one.

    So a library that is missing, a call of `input()` or `exit()`, or a test at the end of the file costs nothing else.

    Returns:
        the module, and for each statement left out: where it is, its code, and the error.

    Raises:
        SyntaxError: the file is not valid Python.
        OverLimit: a statement exceeded a limit.
    """
    try:
        return importlib.import_module(name), []
    except (SyntaxError, OverLimit, MemoryError):
        raise
    except BaseException:
        return _one_by_one(name)


def _one_by_one(name: str) -> tuple[ModuleType, list[str]]:
    spec = find_spec(name)
    assert spec and spec.origin
    module = sys.modules[name] = module_from_spec(spec)
    source = Path(spec.origin).read_bytes()
    body = ast.parse(source).body
    future = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    left_out: list[str] = []
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
