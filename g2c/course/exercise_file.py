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
from g2c.tokenizer.above import Methods

FOR_COMPARISON = {name for name in vars(Methods) if name.startswith(("train_", "encode_", "decode_", "to_"))}
"""Methods that do the work of an exercise, for comparison with a student's."""

Definition = ast.ClassDef | ast.FunctionDef
Definitions = list[tuple[Definition, tuple[Definition, ...]]]
"""Classes and functions of a file, each with the definitions around it, the outermost first."""

LineAndSentence = tuple[int, str]
"""A line, or 0 for the whole file, and a sentence that continues the name of the file."""


def problem_of(module: Module) -> SourceError | None:
    """Find what keeps tests from using a student's files: the module's own and those of the modules it needs."""
    for module_id in (*module.needs, module.id):
        try:
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
    for line, sentence in _problems(module, tree, found):
        raise SourceError(path, line, sentence)


def _definitions(tree: ast.AST, inside: tuple[Definition, ...] = ()) -> Iterator[tuple[Definition, Any]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield node, inside
        yield from _definitions(node, (*inside, node) if isinstance(node, Definition) else inside)


def _problems(module: Module, tree: ast.Module, found: Definitions) -> Iterator[LineAndSentence]:
    """Yield what keeps tests from using each exercise. Python uses the last definition of a name."""
    one_only = "Python uses the last one only"
    for exercise in module.exercises:
        name = exercise.qualified_name
        own = [node for node, inside in found if ".".join(one.name for one in (*inside, node)) == name]
        classes = [node for node, inside in found if not inside and node.name == exercise.class_name]
        written = [node.lineno for node in own if not any(todos_in(node))]
        if len(classes) > 1:
            again = f"defines {exercise.class_name} again, after line {classes[-2].lineno}"
            yield classes[-1].lineno, f"{again}. {one_only}: keep one."
        elif written and any(todos_in(own[-1])):
            again = f"defines {exercise.name} again, with its TODO, after line {written[-1]}"
            yield own[-1].lineno, f"{again}. {one_only}: delete this one."
        elif own:
            yield from _changes(exercise, own[-1])
        else:
            yield _missing(exercise, module, found, has_class=bool(classes))
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    methods = {node.name for node, inside in found if len(inside) == 1}
    for node, inside in found:
        # A helper that slipped into the method above it.
        if len(inside) == 2 and f"self.{node.name}" in used and node.name not in methods:
            yield node.lineno, _where(node, inside, inside[0].name)


def _missing(exercise: Exercise, module: Module, found: Definitions, *, has_class: bool) -> LineAndSentence:
    """Say that a file does not define an exercise where it belongs."""
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


def _where(node: Definition, inside: tuple[Definition, ...], class_name: str | None) -> str:
    if not inside:
        return f"defines {node.name} outside of class {class_name}: indent it, so that it belongs to the class."
    outer = inside[-1].name
    if isinstance(inside[-1], ast.ClassDef):
        move = f"to class {class_name}" if class_name else "out of it"
        return f"defines {node.name} inside class {outer}: move it {move}."
    return f"defines {node.name} inside {outer}: indent it like `def {outer}`."


def _changes(exercise: Exercise, node: Definition) -> Iterator[LineAndSentence]:
    """Yield why tests cannot call a function, or that it does not do its own work."""
    if isinstance(node, ast.ClassDef):
        yield node.lineno, f"makes {node.name} a class; it is a function."
        return
    for used in ast.walk(node):
        if isinstance(used, ast.Attribute) and used.attr in FOR_COMPARISON:
            yield used.lineno, f"calls {used.attr}, which is given for comparison: write {exercise.name} yourself."
    handed_out: Any = ast.parse(f"lambda {exercise.parameters}: 0", mode="eval").body
    given, wanted = _parameters(node.args), _parameters(handed_out.args)
    inner = [part for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.Lambda) and part is not node]
    outside = {*ast.walk(node)} - {each for part in inner for each in ast.walk(part)}
    changes = [f"{name} is missing" for name in wanted if name not in given]
    if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in outside):
        changes.insert(0, "yield makes every call return a generator; return the whole value")
    if [name for name in given if name in wanted] != list(wanted):
        changes.append("its parameters are in another order")
    needless = [name for name, has_default in given.items() if not has_default and wanted.get(name, True)]
    changes += [f"{name} has no default value" for name in needless]
    if changes:
        original = f"It was: def {exercise.name}({exercise.parameters})"
        yield node.lineno, f"changes the def line of {exercise.name}: {changes[0]}. {original}"


def _parameters(arguments: ast.arguments) -> dict[str, bool]:
    """Return for each parameter, in order, whether it has a default."""
    by_place = [*arguments.posonlyargs, *arguments.args]
    required = [None] * (len(by_place) - len(arguments.defaults))
    defaults = [*required, *arguments.defaults, *arguments.kw_defaults]
    return {one.arg: each is not None for one, each in zip([*by_place, *arguments.kwonlyargs], defaults)}
