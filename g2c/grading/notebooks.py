"""The answers of notebooks in the test runner: the checks run here, and call the answers in the student's process.

A check gets a function that sends its arguments to the student's process and returns the plain data that comes back.
So what an answer should come to stays here, where no student's code runs, and so does the comparison.
"""

import ast
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any

from g2c.course.answer_list import answers_of
from g2c.course.exercises import Module, modules
from g2c.course.source import parse_source, read_source
from g2c.grading.notebook_code import GLOBAL, NOTEBOOK, is_definition
from g2c.grading.protocol import Target
from g2c.grading.remote import Student

Function = Callable[..., Any]

SUITE = "g2c/grading/notebook_suite.py"
"""The file with the test of the answers."""

SHOW = "show"
"""The file of a package with exercises whose classes answers may return, such as its tables."""

graded: dict[str, tuple[Function, Function]] = {}
"""What SUITE tests: "04:comes_back" -> the check, and the function that calls the student's answer."""


def grade_answers(modules_with_notebook: Collection[Module], student: Student) -> None:
    """Fill `graded`."""
    for module in modules_with_notebook:
        checks = _load_checks(module)
        known = [*_names_of(f"{module.package}.{SHOW}"), *checks.values()]
        places = {f"{module.package}.{SHOW}", stand_ins_module(module)}
        student.classes |= {kind.__name__: kind for kind in known if _is_class_of(kind, places)}
        student.notebooks[f"{code_module(module).replace('.', '/')}.py"] = module.notebook_file.name
        for name, one in answers_of(module).items():
            if one.graded:
                graded[f"{module.id}:{name}"] = checks[name], _make_answer(module, name, student)


def stand_ins(module: Module) -> bytes:
    """The classes in a module's file of checks, as a notebook: what its checks hand to answers.

    The checks themselves are left out, and with them what an answer should come to.
    """
    tree = parse_source(module.checks_file, read_source(module.checks_file))
    kept = [node for node in tree.body if is_definition(node) and not isinstance(node, ast.FunctionDef)]
    cell = {"cell_type": "code", "source": ast.unparse(ast.Module(kept, []))}
    return json.dumps({"cells": [cell]}).encode()


def notebook_files(module: Module, notebook: bytes) -> dict[str, bytes]:
    """The files that a student's copy of the course needs for the answers: path -> content. Empty without answers.

    Args:
        module: the module of the notebook.
        notebook: the notebook that was handed in.
    """
    if not answers_of(module):
        return {}
    contents = {code_module(module): notebook, stand_ins_module(module): stand_ins(module)}
    return {f"{name.replace('.', '/')}{NOTEBOOK}": content for name, content in contents.items()}


def code_module(module: Module) -> str:
    """The name under which a student's process imports the code of the notebook."""
    return f"{module.package}.notebook_{module.id}"


def stand_ins_module(module: Module) -> str:
    """The name under which both sides import the stand-ins."""
    return f"{module.package}.stand_ins_{module.id}"


def module_of_answer(node: str) -> str | None:
    """The module whose notebook a test of SUITE is about; None for any other test.

    >>> module_of_answer("g2c/grading/notebook_suite.py::test_answer[04:comes_back]")
    '04'
    """
    if not node.startswith(f"{SUITE}::"):
        return None
    module_id = node.partition("[")[2].partition(":")[0]
    return module_id if module_id in modules() else None


def _load_checks(module: Module) -> dict[str, Any]:
    """The names in a module's file of checks. The other side knows its classes by the same names."""
    name = stand_ins_module(module)
    spec = importlib.util.spec_from_file_location(name, module.checks_file)
    assert spec and spec.loader
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return vars(loaded)


def _names_of(module: str) -> list[Any]:
    """What a module defines; nothing where there is no such module."""
    return list(vars(importlib.import_module(module)).values()) if importlib.util.find_spec(module) else []


def _is_class_of(value: object, places: Collection[str]) -> bool:
    return isinstance(value, type) and value.__module__ in places


def _make_answer(module: Module, name: str, student: Student) -> Function:
    target = Target(code_module(module), None, name)
    names: dict[str, Any] = {}

    def send(args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        values = {f"{GLOBAL}{key}": value for key, value in names.items()}
        result, printed = student.call(target, None, args, options | values)
        print(str(printed), end="")
        return result

    def answer(*args: Any, **options: Any) -> Any:
        return send(args, options)

    # `in_place_of` puts values among the global names of the function that it is given.
    function = FunctionType(answer.__code__, names, name, None, answer.__closure__)
    function.__qualname__ = name
    return function
