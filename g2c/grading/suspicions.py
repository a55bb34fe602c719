"""Code in an exercise file that is worth an instructor's look, found by reading it. Nothing here changes a mark.

>>> suspicions("bpe.py", ast.parse("import pytest"))
['bpe.py, line 1, imports pytest: no exercise needs the tests or what runs them.']
"""

import ast
from collections.abc import Iterator
from functools import cache

from g2c.common.answer_key import KEYS
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.grading.folders import importable_packages
from g2c.grading.policy import COURSE

TESTS = "no exercise needs the tests or what runs them"
KEY = "the answer key is not there when a submission is graded"
OTHER_ROOM = "this part of the course is not there when a submission is graded"
LIBRARY = "a library that does the exercise"
INSIDE = "it inspects or changes running code or the interpreter"
SYSTEM = "it starts programs, or uses the system or the network"
MODULES = {
    "pytest": TESTS,
    "_pytest": TESTS,
    "unittest": TESTS,
    "hypothesis": TESTS,
    "conftest": TESTS,
    "tests": TESTS,
    "tokenizers": LIBRARY,
    "tiktoken": LIBRARY,
    "transformers": LIBRARY,
    "sentencepiece": LIBRARY,
    "inspect": INSIDE,
    "gc": INSIDE,
    "ctypes": INSIDE,
    "atexit": INSIDE,
    "importlib": INSIDE,
    "runpy": INSIDE,
    "zipimport": INSIDE,
    "site": INSIDE,
    "pickle": INSIDE,
    "marshal": INSIDE,
    "builtins": INSIDE,
    "faulthandler": INSIDE,
    "subprocess": SYSTEM,
    "multiprocessing": SYSTEM,
    "socket": SYSTEM,
    "signal": SYSTEM,
    "shutil": SYSTEM,
    "urllib": SYSTEM,
    "requests": SYSTEM,
    "threading": SYSTEM,
}
CALLS = {
    "exec": INSIDE,
    "eval": INSIDE,
    "compile": INSIDE,
    "__import__": INSIDE,
    "globals": INSIDE,
    "breakpoint": INSIDE,
    "_getframe": INSIDE,
    "settrace": INSIDE,
    "setprofile": INSIDE,
    "addaudithook": INSIDE,
    "_exit": SYSTEM,
    "fork": SYSTEM,
    "system": SYSTEM,
    "kill": SYSTEM,
    "popen": SYSTEM,
    "exit": "it ends the program",
    "quit": "it ends the program",
    "open": "it opens a file",
    "input": "it waits for a key",
    "sleep": "it waits",
}
INNER_ATTRIBUTES = ("__globals__", "__subclasses__", "f_back", "gi_frame", "modules", "meta_path", "__path__")
MAX_SENTENCES = 30


def suspicions(name: str, tree: ast.Module) -> list[str]:
    """Sentences about a file, in the order of its lines.

    Args:
        name: the file's name, for the sentences.
        tree: its syntax tree.
    """
    # What the course's own scaffold imports is not reported.
    given = _given(name)
    found: dict[str, None] = {}
    for line, what in sorted(_findings(tree)):
        if what not in given:
            found[f"{name}, line {line}, {what}."] = None
    return list(found)[:MAX_SENTENCES]


def suspicions_of_notebook(tree: ast.Module) -> list[str]:
    """What is worth a look in the code of a notebook, such as "imports gc: ...". Its lines are not those of the cells.

    Args:
        tree: the syntax tree of what `g2c.grading.notebook_code` made of the notebook.
    """
    return list(dict.fromkeys(what for _, what in sorted(_findings(tree))))[:MAX_SENTENCES]


@cache
def _given(name: str) -> set[str]:
    for module in modules().values():
        if f"{module.file}.py" == name and module.exercise_file.is_file():
            try:
                tree = ast.parse(module.exercise_file.read_bytes())
            except SyntaxError:
                return set()
            return {what for _, what in _findings(tree)} & {what for _, what in _imports(tree)}
    return set()


def _findings(tree: ast.Module) -> list[tuple[int, str]]:
    found = _imports(tree)
    imported = {name.split(".")[-1] for _, name in _imported_names(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            if called in CALLS:
                found.append((node.lineno, f"calls {called}: {CALLS[called]}"))
            elif called in forwarding_methods() and _is_method_call(node, imported):
                found.append((node.lineno, f"calls {called}: {OTHER_ROOM}"))
        elif isinstance(node, ast.Attribute) and node.attr in INNER_ATTRIBUTES:
            found.append((node.lineno, f"uses {node.attr}: {INSIDE}"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "G2C_SOLUTIONS" in node.value:
            found.append((node.lineno, "names G2C_SOLUTIONS, the switch for the answer key"))
    return found


def _is_method_call(call: ast.Call, imported: set[str]) -> bool:
    """Whether a call goes to an attribute of anything but an imported module: `self.load()`, not `json.load()`."""
    return isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", None) not in imported


def _imports(tree: ast.AST) -> list[tuple[int, str]]:
    found = []
    for line, name in _imported_names(tree):
        known = next((module for module in MODULES if f"{name}.".startswith(f"{module}.")), None)
        if known:
            found.append((line, f"imports {known}: {MODULES[known]}"))
        elif _is_other_room(name):
            room = ".".join(name.split(".")[:2])
            found.append((line, f"imports {room}: {KEY if room == KEYS else OTHER_ROOM}"))
    return found


def _imported_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module or ''}.{alias.name}") for alias in node.names)


def _is_other_room(name: str) -> bool:
    """Whether a name belongs to the course, but to no package that a submission may import."""
    return name.startswith(f"{COURSE}.") and not any(
        f"{name}.".startswith(f"{package}.") for package in importable_packages()
    )


@cache
def forwarding_methods() -> frozenset[str]:
    """Given functions in the packages with exercises that need another part of the course, such as `train_exact`."""
    names = set()
    exercise_files = {module.exercise_file for module in modules().values()}
    for package in {module.package for module in modules().values()}:
        for path in set((REPOSITORY / package.replace(".", "/")).glob("*.py")) - exercise_files:
            functions = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.FunctionDef)]
            for function in functions:
                if any(_is_other_room(name) for _, name in _imported_names(function)):
                    names.add(function.name)
    return frozenset(names)
