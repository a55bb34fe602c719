"""Code that is worth an instructor's look, told from what a file uses (sources.py). Nothing here changes a mark.

>>> suspicions("bpe.py", [(1, "imports", "pytest")])
['bpe.py, line 1, imports pytest: no exercise needs the tests or what runs them.']
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from g2c.common.answer_key import KEYS
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules
from g2c.grading.folders import importable_packages
from g2c.grading.policy import COURSE
from g2c.grading.sources import SWITCH, Use, imported_names, uses_of

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


def suspicions(name: str, uses: Iterable[Use]) -> list[str]:
    """Sentences about an exercise file, in the order of its lines.

    Args:
        name: the file's name.
        uses: what the file uses.
    """
    # What the course's own scaffold imports is not reported.
    module = next((module for module in modules().values() if f"{module.file}.py" == name), None)
    given = set(_of_file(module.exercise_file)) if module else set()
    found = [f"{name}, line {line}, {what}." for line, what in _findings(uses) if what not in given]
    return list(dict.fromkeys(found))[:MAX_SENTENCES]


def suspicions_of_notebook(module: Module, uses: Iterable[Use], key: Iterable[Use]) -> list[str]:
    """Sentences about a module's notebook.

    Args:
        module: the module.
        uses: what the notebook uses.
        key: what the answer key's notebook uses, which is not reported.
    """
    given = {what for _, what in _findings(key)}
    found = [f"{module.notebook_file.name} {what}." for _, what in _findings(uses) if what not in given]
    return list(dict.fromkeys(found))[:MAX_SENTENCES]


@cache
def _of_file(path: Path) -> tuple[str, ...]:
    """What one of the course's own files imports that is worth a look; nothing where it is not valid Python."""
    try:
        uses = uses_of(ast.parse(path.read_bytes()))
    except (OSError, SyntaxError):
        return ()
    return tuple(what for _, what in _findings(use for use in uses if use[1] == "imports"))


def _findings(uses: Iterable[Use]) -> Iterator[tuple[int, str]]:
    """(line, what is worth a look)."""
    for line, verb, name in uses:
        if verb == "imports":
            known = next((module for module in MODULES if f"{name}.".startswith(f"{module}.")), None)
            if known:
                yield line, f"imports {known}: {MODULES[known]}"
            elif _is_other_room(name):
                room = ".".join(name.split(".")[:2])
                yield line, f"imports {room}: {KEY if room == KEYS else OTHER_ROOM}"
        elif verb == "uses" and name == SWITCH:
            yield line, f"names {SWITCH}, the switch for the answer key"
        elif verb == "uses" and name in INNER_ATTRIBUTES:
            yield line, f"uses {name}: {INSIDE}"
        elif verb != "uses" and name in CALLS:
            yield line, f"calls {name}: {CALLS[name]}"
        elif verb == "calls a method" and name in forwarding_methods():
            yield line, f"calls {name}: {OTHER_ROOM}"


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
                if any(_is_other_room(name) for _, name in imported_names(function)):
                    names.add(function.name)
    return frozenset(names)
