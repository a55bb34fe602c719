"""What an instructor may want to look at in an exercise file, found by reading it. Nothing here changes a mark.

>>> suspicions("bpe.py", b"import pytest")
['bpe.py, line 1, imports pytest: no exercise needs the tests or what runs them.']
"""

import ast

from g2c.course.exercises import modules

TESTS = "no exercise needs the tests or what runs them"
KEY = "the answer key is not there when a submission is graded"
COURSE = "this part of the course is not meant for exercises"
LIBRARY = "a library that does the exercise"
INSIDE = "looks into running code or the interpreter"
SYSTEM = "starts programs, or uses the system or the network"
MODULES = {
    "pytest": TESTS,
    "_pytest": TESTS,
    "unittest": TESTS,
    "hypothesis": TESTS,
    "conftest": TESTS,
    "tests": TESTS,
    "g2c.solutions": KEY,
    "g2c.course": COURSE,
    "tokenizers": LIBRARY,
    "tiktoken": LIBRARY,
    "transformers": LIBRARY,
    "sentencepiece": LIBRARY,
    "inspect": INSIDE,
    "gc": INSIDE,
    "ctypes": INSIDE,
    "atexit": INSIDE,
    "importlib": INSIDE,
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
    "exit": "ends the program",
    "quit": "ends the program",
    "open": "opens a file",
    "input": "waits for a key",
    "sleep": "waits",
    "encode_fast": LIBRARY,
    "encode_ordinary_fast": LIBRARY,
    "train_fast": LIBRARY,
    "rust_tokenizer": LIBRARY,
    "train_exact": "the given exact training, which does the exercise",
}
INNER_ATTRIBUTES = ("__globals__", "__subclasses__", "f_back", "gi_frame", "modules")
LONGEST = 30


def suspicions(name: str, content: bytes) -> list[str]:
    """Sentences about a file, in the order of its lines. One that is not valid Python has none: the grading says so."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    # What the course's own scaffold does is nothing to report.
    given = _given(name)
    found: dict[str, None] = {}
    for line, what in sorted(_findings(tree)):
        if what not in given:
            found[f"{name}, line {line}, {what}."] = None
    return list(found)[:LONGEST]


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
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            called = getattr(function, "id", None) or getattr(function, "attr", None)
            if called in CALLS:
                found.append((node.lineno, f"calls {called}: {_why(CALLS[called])}"))
        elif isinstance(node, ast.Attribute) and node.attr in INNER_ATTRIBUTES:
            found.append((node.lineno, f"uses {node.attr}: it {INSIDE}"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "G2C_SOLUTIONS" in node.value:
            found.append((node.lineno, "names G2C_SOLUTIONS, the switch for the answer key"))
    return found


def _imports(tree: ast.Module) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            known = next((prefix for prefix in MODULES if f"{name}.".startswith(f"{prefix}.")), None)
            if known:
                found.append((node.lineno, f"imports {known}: {_why(MODULES[known])}"))
    return found


def _why(reason: str) -> str:
    return f"it {reason}" if reason in (INSIDE, SYSTEM) or reason.split()[0] in ("ends", "opens", "waits") else reason
