"""Checks that an exercise file has what its tests call: classes and functions, with the parameters they were given.

Tests of a file without them would report whatever happens instead. Nothing is imported or run.
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
"""Methods that do what an exercise is about. They are there to compare with."""

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.ClassDef | AnyFunction
Outer = tuple[Definition, ...]
Definitions = list[tuple[Definition, Outer]]
"""Classes and functions of a file, each with those that it is inside of, from the outermost."""


def problem_of(module: Module) -> SourceError | None:
    """Find what keeps a module's tests from saying anything of the student's files, its own and those it needs."""
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
        SourceError: it is empty, not valid Python, lacks an exercise, or has one that cannot be called as it should be.
        CourseError: it cannot be read.
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
    # Of several with one name, Python keeps the last.
    last = {node.name: node for node, inside in found if not inside}
    kept = [(node, inside) for node, inside in found if not inside or last[inside[0].name] is inside[0]]
    for exercise in module.exercises:
        name = exercise.qualified_name
        if own := [node for node, inside in kept if ".".join(each.name for each in (*inside, node)) == name]:
            written = [node.lineno for node in own if not any(todos_in(node))]
            if written and any(todos_in(own[-1])):
                again = f"defines {exercise.name} again, with its TODO, after line {written[-1]}"
                raise SourceError(path, own[-1].lineno, f"{again}. Python uses the last one only: delete this one.")
            if problem := _changed(exercise, own[-1]):
                raise SourceError(path, *problem)
        else:
            problem = _missing(exercise, module, kept)
            hidden = [node.lineno for node, inside in found if not inside and node.name == exercise.class_name][:-1]
            if exercise.class_name and hidden:
                again = f"defines {exercise.class_name} again, after line {hidden[0]}, and without {exercise.name}"
                problem = (last[exercise.class_name].lineno, f"{again}. Python uses the last one only: keep one.")
            raise SourceError(path, *problem)
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


def _missing(exercise: Exercise, module: Module, found: Definitions) -> tuple[int, str]:
    """Say that a file does not define an exercise where it belongs, with the line."""
    holder = next((node for node, inside in found if not inside and node.name == exercise.class_name), None)
    name = exercise.name if holder or not exercise.class_name else exercise.class_name
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


def _changed(exercise: Exercise, node: Definition) -> tuple[int, str] | None:
    """Say that tests cannot call a function, or that it does not do its own work, with the line."""
    if isinstance(node, ast.ClassDef):
        return node.lineno, f"makes {node.name} a class; it is a function."
    for used in ast.walk(node):
        if isinstance(used, ast.Attribute) and used.attr in FOR_COMPARISON:
            return used.lineno, f"calls {used.attr}, which is given for comparison: write {exercise.name} yourself."
    if what := _change(exercise, node):
        original = f"It was: def {exercise.name}({exercise.parameters})"
        return node.lineno, f"changes the def line of {exercise.name}: {what}. {original}"
    return None


def _change(exercise: Exercise, node: AnyFunction) -> str:
    """Say why a call of the tests does not fit a `def` line; "" where it does."""
    decorators = {ast.unparse(one) for one in node.decorator_list}
    if isinstance(node, ast.AsyncFunctionDef):
        return "async makes every call return a coroutine"
    if any(name.endswith("property") for name in decorators):
        return "a property cannot be called"
    if exercise.class_name and "staticmethod" in decorators:
        return "a static method gets no self"
    inner = [part for part in ast.walk(node) if isinstance(part, AnyFunction | ast.Lambda) and part is not node]
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
