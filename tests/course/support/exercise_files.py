"""Exercise files of module 04 as students hand them in, with the answer key's code or other code for each exercise."""

import ast
from inspect import getsource
from textwrap import dedent

from coach.diagnosis import bank
from coach.exercises import modules
from coach.source import find_function

MODULE = modules()["04"]
STUB = MODULE.exercise_file.read_text(encoding="utf-8")


def solved(*names: str) -> str:
    """The exercise file with the answer key's code for these exercises; without names, for all."""
    text = STUB.replace("import BPEBase\n", "import BOUNDARY, BPEBase\n")
    for exercise in MODULE.exercises:
        if not names or exercise.name in names:
            answer = find_function(MODULE.key_file, exercise).code.split("\n", 1)[1]
            text = with_body(text, exercise.name, answer)
    return text


def with_body(text: str, name: str, body: str) -> str:
    """The exercise file with this code for one exercise, which must still be a TODO."""
    todo = f'        raise NotImplementedError("TODO: {name}")'
    assert text.count(todo) == 1
    return text.replace(todo, body)


def all_but(name: str, body: str | None = None, top: str = "") -> str:
    """Everything solved but one exercise, which has this code instead. `top` runs when the file is imported."""
    text = solved(*(exercise.name for exercise in MODULE.exercises if exercise.name != name))
    if body is not None:
        text = with_body(text, name, "\n".join(f"        {line}" for line in body.splitlines()))
    return text.replace("from collections.abc", f"{top}\nfrom collections.abc", 1)


def body_of(entry: bank.Entry) -> str:
    """The code of a wrong solution, without its docstring."""
    [definition] = ast.parse(dedent(getsource(entry.written))).body
    return "\n".join(map(ast.unparse, definition.body[ast.get_docstring(definition) is not None :]))
