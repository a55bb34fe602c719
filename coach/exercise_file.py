"""Checks that an exercise file has what its tests call: every function, with the parameters that it was given.

Without this check, tests of a damaged file would report whatever happens instead. Nothing is imported or run.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coach.common.course_file import course_file
from coach.common.errors import nearest
from coach.common.paths import REPOSITORY
from coach.exercises import Exercise, Module, modules, modules_with_key
from coach.source import EmptyFileError, SourceError, functions, parsed, todos_in


def problem_of(module: Module) -> SourceError | None:
    """Find what keeps tests from using a student's files: the module's own and those of the modules it needs."""
    for module_id in (*module.needs, module.id):
        try:
            if module_id not in modules_with_key():
                check_file(modules()[module_id])
        except SourceError as problem:
            return problem
    return None


def check_file(module: Module, file: Path | None = None) -> None:
    """Check the exercise file of a module, or another file in its place.

    Raises:
        SourceError: the file is missing or empty, cannot be read, is not valid Python, or lacks an exercise that tests
            can call.
    """
    path = file or module.exercise_file
    if not path.exists():
        raise SourceError(path, 0, f"is missing; restore it with `git checkout {module.exercise_path}`.")
    tree = parsed(path)
    if not tree.body:
        undo = f"undo that in your editor, or start over with `git checkout {module.exercise_path}`."
        raise EmptyFileError(path, 0, f"has no code; {undo}")
    found = functions(tree)
    for class_name in dict.fromkeys(exercise.class_name for exercise in module.exercises):
        _check_class(class_name, path, tree)
    for exercise in module.exercises:
        node = found.get(exercise.qualified_name)
        line, sentence = _changed(exercise, node) if node else _missing(exercise, module, tree)
        if node and not sentence:
            line, sentence = _elsewhere(exercise, node, tree)
        if sentence:
            raise SourceError(path, line, sentence)
    for node in _given_methods(tree):
        raise SourceError(path, node.lineno, f"defines {node.name}, which is given in the base class: delete yours.")


def _check_class(name: str | None, path: Path, tree: ast.Module) -> None:
    """Raise a SourceError if another class takes the place of one with exercises; one that inherits from it may."""
    same = [one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == name]
    for other in same[1:]:
        if name not in [ast.unparse(base) for base in other.bases]:
            why = f"defines class {name} again, in place of the one in line {same[0].lineno}: keep one of them."
            raise SourceError(path, other.lineno, why)


def _missing(exercise: Exercise, module: Module, tree: ast.Module) -> tuple[int, str]:
    """Return a line, or 0 for the whole file, and a sentence: the file does not define an exercise where it belongs."""
    name, class_name = exercise.name, exercise.class_name
    defined = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    if class_name and not any(node in tree.body and node.name == class_name for node in defined):
        name, defined = class_name, [node for node in defined if isinstance(node, ast.ClassDef)]
    for node in defined:
        if node.name == name:
            outer = next((one for one in tree.body if isinstance(one, ast.FunctionDef) and node in ast.walk(one)), node)
            if class_name and outer is not node:
                why = f"defines {outer.name} at the left margin, which ends the class above: {name} is no longer in it"
                return outer.lineno, f"{why}. Indent {outer.name}, or move it above the class."
            where = (
                f"in class {class_name}: indent it like the methods there"
                if name != class_name and class_name
                else "at the left margin"
            )
            return node.lineno, f"defines {name}, but not {where}."
    known = {*module.public_names, *(one.name for one in module.exercises)}
    others = {node.name: node.lineno for node in defined if node.name not in known}
    other = nearest(name, others)
    it_has = f"it has {other}, line {others[other]}. The tests call {name}" if other else "the tests call it"
    return 0, f"has no {name}; {it_has}."


def _changed(exercise: Exercise, node: ast.FunctionDef) -> tuple[int, str]:
    """Return a line, and why tests cannot call a function or it does not do its own work; "" if all is well."""
    for used in ast.walk(node):
        if isinstance(used, ast.Attribute) and used.attr in course_file().get("for_comparison", ()):
            return used.lineno, f"calls {used.attr}, which is given for comparison: write {exercise.name} yourself."
    handed_out: Any = ast.parse(f"lambda {exercise.parameters}: 0", mode="eval").body
    given, wanted = _parameters(node.args), _parameters(handed_out.args)
    changes = [f"{name} is missing" for name in wanted if name not in given]
    if [name for name in given if name in wanted] != list(wanted):
        changes.append("its parameters are in another order")
    needless = [name for name, has_default in given.items() if not has_default and wanted.get(name, True)]
    changes += [f"{name} has no default value" for name in needless]
    original = f"It was: def {exercise.name}({exercise.parameters})"
    return node.lineno, f"changes the def line of {exercise.name}: {changes[0]}. {original}" if changes else ""


def _elsewhere(exercise: Exercise, node: ast.FunctionDef, tree: ast.Module) -> tuple[int, str]:
    """Return the line of another definition of an exercise, and what to do; "" if there is none."""
    name = node.name
    for other in ast.walk(tree):
        if not isinstance(other, ast.FunctionDef) or other.name != name or other is node:
            continue
        if exercise.class_name and other in tree.body and any(todos_in(node)):
            return other.lineno, f"defines {name} outside of class {exercise.class_name}: write it where its TODO is."
        if any(other in each.body and node in each.body for each in ast.walk(tree) if isinstance(each, ast.ClassDef)):
            return other.lineno, f"defines {name}, and line {node.lineno} does so again: keep one of them."
    return 0, ""


def _given_methods(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the methods of a file that take the place of given ones: those of a base class in another file."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    files = {
        one.name: REPOSITORY / f"{(node.module or '').replace('.', '/')}.py" for node in imports for one in node.names
    }
    own = functions(tree)
    for kind in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
        for base in [name for name in map(ast.unparse, kind.bases) if name in files and files[name].is_file()]:
            given = functions(parsed(files[base]))
            for name, node in own.items():
                owner, _, method = name.partition(".")
                # __repr__ and its like may be the student's own.
                may_differ = method.startswith("__") and method != "__init__"
                if owner == kind.name and f"{base}.{method}" in given and not may_differ:
                    yield node


def _parameters(arguments: ast.arguments) -> dict[str, bool]:
    """Return for each parameter, in order, whether it has a default."""
    by_place = [*arguments.posonlyargs, *arguments.args]
    required = [None] * (len(by_place) - len(arguments.defaults))
    defaults = [*required, *arguments.defaults, *arguments.kw_defaults]
    return {one.arg: each is not None for one, each in zip([*by_place, *arguments.kwonlyargs], defaults)}
