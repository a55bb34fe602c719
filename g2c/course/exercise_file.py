"""Checks that an exercise file has what its tests call: classes and functions, with the parameters they were given.

Without this check, tests of a damaged file would report whatever happens instead. Nothing is imported or run.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from g2c.common.errors import nearest
from g2c.course.exercises import Exercise, Module, modules, modules_with_key
from g2c.course.source import EmptyFileError, SourceError, parsed, todos_in
from g2c.tokenizer.forwarding import Forwarding

FOR_COMPARISON = {name for name in vars(Forwarding) if name.startswith(("train_", "encode_", "decode_", "to_"))}
"""Methods that do the work of an exercise, for comparison with a student's."""

Definition = ast.ClassDef | ast.FunctionDef
Outer = tuple[Definition, ...]
Definitions = list[tuple[Definition, Outer]]
"""Classes and functions of a file, each with the definitions around it, the outermost first."""

LineAndSentence = tuple[int, str]
"""A line, or 0 for the whole file, and a sentence that continues the name of the file."""


def problem_of(module: Module) -> SourceError | None:
    """Find what keeps tests from using a student's files: the module's own and those of the modules it needs."""
    try:
        for module_id in (*module.needs, module.id):
            if module_id not in modules_with_key():
                check_file(modules()[module_id])
    except SourceError as problem:
        return problem
    except RecursionError:
        pass
    return None


def check_file(module: Module, file: Path | None = None) -> None:
    """Check the exercise file of a module, or another file in its place.

    Raises:
        SourceError: the file cannot be read, is empty or is not valid Python, or lacks an exercise that tests can call.
    """
    path = file or module.exercise_file
    tree = parsed(path)
    found = list(_definitions(tree))
    if not found:
        checkout = f"`git checkout {module.exercise_path}`"
        if not path.read_bytes().strip():
            raise EmptyFileError(path, 0, f"is empty; {checkout} brings it back.")
        what = "defines nothing: it has no class or function, or they are comments. Undo that in your editor"
        raise EmptyFileError(path, 0, f"{what}; {checkout} starts over, without what you wrote.")
    for exercise in module.exercises:
        own = [
            node for node, inside in found if ".".join(one.name for one in (*inside, node)) == exercise.qualified_name
        ]
        problem = _defined_again(exercise, own, found) or (_changed(exercise, own[-1]) if own else None)
        if problem or not own:
            raise SourceError(path, *(problem or _missing(exercise, module, found)))
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    methods = {node.name for node, inside in found if len(inside) == 1}
    for node, inside in found:
        # A helper that slipped into the method above it.
        if len(inside) == 2 and f"self.{node.name}" in used and node.name not in methods:
            raise SourceError(path, node.lineno, _where(node, inside, inside[0].name))


def _definitions(tree: ast.AST, inside: Outer = ()) -> Iterator[tuple[Definition, Outer]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield node, inside
            yield from _definitions(node, (*inside, node))
        else:
            yield from _definitions(node, inside)


# --- names ------------------------------------------------------------------------------------------------------------


def _defined_again(exercise: Exercise, own: list[Definition], found: Definitions) -> LineAndSentence | None:
    """Say that a file defines a class twice, or an exercise again with its TODO: Python uses the last definition."""
    classes = [node for node, inside in found if not inside and node.name == exercise.class_name]
    if len(classes) > 1:
        again = f"defines {exercise.class_name} again, after line {classes[-2].lineno}"
        return classes[-1].lineno, f"{again}. Python uses the last one only: keep one."
    written = [node.lineno for node in own if not any(todos_in(node))]
    if written and any(todos_in(own[-1])):
        again = f"defines {exercise.name} again, with its TODO, after line {written[-1]}"
        return own[-1].lineno, f"{again}. Python uses the last one only: delete this one."
    return None


def _missing(exercise: Exercise, module: Module, found: Definitions) -> LineAndSentence:
    """Say that a file does not define an exercise where it belongs."""
    has_class = any(not inside and node.name == exercise.class_name for node, inside in found)
    name = exercise.name if has_class or not exercise.class_name else exercise.class_name
    for node, inside in found:
        if node.name == name:
            return node.lineno, _where(node, inside, exercise.class_name)
    known = {*module.public_names, *(one.name for one in module.exercises)}
    is_class = name == exercise.class_name
    near = [node for node, inside in found if len(inside) < 2 and isinstance(node, ast.ClassDef) == is_class]
    others = {node.name: node.lineno for node in near if node.name not in known}
    other = nearest(name, others)
    it_has = f"it has {other}, line {others[other]}. The tests call {name}" if other else "the tests call it"
    return 0, f"has no {name}; {it_has}."


def _where(node: Definition, inside: Outer, class_name: str | None) -> str:
    if not inside:
        return f"defines {node.name} outside of class {class_name}: indent it, so that it belongs to the class."
    outer = inside[-1].name
    if isinstance(inside[-1], ast.ClassDef):
        move = f"to class {class_name}" if class_name else "out of it"
        return f"defines {node.name} inside class {outer}: move it {move}."
    return f"defines {node.name} inside {outer}: indent it like `def {outer}`."


# --- def lines --------------------------------------------------------------------------------------------------------


def _changed(exercise: Exercise, node: Definition) -> LineAndSentence | None:
    """Say that tests cannot call a function, or that it does not do its own work."""
    if isinstance(node, ast.ClassDef):
        return node.lineno, f"makes {node.name} a class; it is a function."
    for used in ast.walk(node):
        if isinstance(used, ast.Attribute) and used.attr in FOR_COMPARISON:
            return used.lineno, f"calls {used.attr}, which is given for comparison: write {exercise.name} yourself."
    if what := _change(exercise, node):
        original = f"It was: def {exercise.name}({exercise.parameters})"
        return node.lineno, f"changes the def line of {exercise.name}: {what}. {original}"
    return None


def _change(exercise: Exercise, node: ast.FunctionDef) -> str:
    """Say why a test's call does not fit a `def` line; "" if it fits."""
    inner = [part for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.Lambda) and part is not node]
    inside = {each for part in inner for each in ast.walk(part)}
    if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node) if each not in inside):
        return "yield makes every call return a generator; return the whole value"
    handed_out: Any = ast.parse(f"lambda {exercise.parameters}: 0", mode="eval").body
    given, wanted = _parameters(node.args), _parameters(handed_out.args)
    if missing := [name for name in wanted if name not in given]:
        return f"{missing[0]} is missing"
    if [name for name in given if name in wanted] != list(wanted):
        return "its parameters are in another order"
    needless = [name for name, has_default in given.items() if not has_default and wanted.get(name, True)]
    return f"{needless[0]} has no default value" if needless else ""


def _parameters(arguments: ast.arguments) -> dict[str, bool]:
    """Return for each parameter, in order, whether it has a default."""
    by_place = [*arguments.posonlyargs, *arguments.args]
    first_default = len(by_place) - len(arguments.defaults)
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults)
    return {one.arg: place >= first_default for place, one in enumerate(by_place)} | {
        one.arg: default is not None for one, default in by_name
    }
