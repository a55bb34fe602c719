"""Imports a student's files and answers the test runner's requests (protocol.py), in the student's process.

The test runner may lend the answer key's functions for some exercises. They take the place of the student's here, but
run in another process, so this one never contains any of the key's code.
"""

import ast
import importlib
import os
import pickle
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, KeysView, ValuesView
from contextlib import contextmanager, suppress
from importlib.util import decode_source, find_spec, module_from_spec
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy  # noqa: F401  (loaded before the code is watched, as is the next one)
import tokenizers  # noqa: F401

from g2c.course.testing.limits import Guard, OverLimit, lines_of
from g2c.grading import protocol
from g2c.grading.processes import STUDENT, die_with_parent, limit_this_process
from g2c.grading.protocol import CALL, LENT_CALL, NotDefined, OpaqueValue, Origin, Shared, Target
from g2c.grading.wall import SandboxSettings, restrict_this_process

MAX_SOURCE = 100
MAX_LEFT_OUT = 5
"""Statements that are named, and parts of invalid Python that are left out."""
_OF_BLOCK = re.compile(r"^expected an indented block after .* on line (\d+)$")
_FUNCTION_OR_STATEMENT = re.compile(
    r"^(?=(([ \t]*)(?:@.*\n\2)*(?:(?:async +)?def\b|(?<![ \t])\S).*\n"
    r"(?:\2(?:[ \t]+\S|[)\]}]).*\n|[ \t]*\n)*))",
    re.MULTILINE,
)
"""A function or a statement that is not indented, with its decorators and whatever is indented below it."""


class Sandbox:
    """Answers the requests on one connection."""

    def __init__(self, connection: Connection, settings: SandboxSettings) -> None:
        self.connection = connection
        self.folder = f"{settings.course}{os.sep}"
        self.exercise_files = settings.exercise_files
        given = tuple(f"{self.folder}{os.path.dirname(file)}{os.sep}" for file in self.exercise_files)
        self.guard = PausedGuard(lambda name: name.startswith(given))
        self.lent = settings.lent
        self.lock = Lock()
        """Held while a lent function is called, since the student's code may have threads."""
        self.loaded: dict[str, tuple[ModuleType, list[str]]] = {}
        """Exercise file -> the module, and the statements that failed when it was imported."""
        self.objects: dict[int, Any] = {}
        """The student's objects, by the number of their handle."""
        self.shared = Shared()
        vars(protocol)["of_student"] = self.of_student

    def message(self, request: bytes) -> bytes:
        """Write the answer. A value that cannot be sent raises no error here, because a test might expect one."""
        try:
            message = protocol.pack(self.answer(request))
            if len(message) <= protocol.MAX_BYTES:
                return message
        except (ValueError, RecursionError):
            pass
        except BaseException as error:
            return protocol.pack(self._describe(error))
        return protocol.pack({"result": OpaqueValue("<a value that is too large, or contains itself>")})

    def answer(self, request: bytes) -> dict[str, Any]:
        """Make the requested call, and return its outcome and what it changed."""
        self.shared.objects.clear()
        answer: dict[str, Any]
        try:
            file, name, owner, args, kwargs = pickle.loads(request)
            if not name:
                return {"result": self.module(file)[1]}
            function = self.defined(self.module(file)[0] if owner is None else owner, name)
            arguments = [*args, *kwargs.values()]
            self.shared.add_arguments(CALL, arguments)
            with self.guard.watch():
                result = function(*args, **kwargs)
            same = next((i for i, argument in enumerate([owner, *arguments]) if result is argument), None)
            answer = {"result": result} if result is None or same is None else {"argument": same}
        except OverLimit as over:
            limit = [over.function, over.seconds, over.megabytes, over.returns]
            answer = {"over": limit, "origin": self._origin(over)}
        except BaseException as error:
            answer = self._describe(error)
        return answer | {"changes": self.shared.changes()}

    # --- lent functions, which run in another process ---------------------------------------------------------------

    def _replace(self, module: ModuleType, target: Target) -> None:
        """Put a lent function in the place of the student's. An object that only the student's code knows keeps its
        own."""
        holder = getattr(module, target.class_name, None) if target.class_name else module
        own: Any = getattr(holder, target.name, None)

        def function(*args: Any, **kwargs: Any) -> Any:
            objects, owner = self.shared.objects, args[0] if target.class_name else None
            number = next((number for number in objects if objects[number] is owner), None)
            if target.class_name and number is None:
                return own(*args, **kwargs)
            return self._call_lent(target, number, args[1:] if target.class_name else args, kwargs)

        function.__name__ = target.name
        with suppress(Exception):
            setattr(holder, target.name, function)

    def _call_lent(self, target: Target, owner: int | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Have the test runner make a call with the object's state, and repeat here what it changed."""
        args = tuple(map(_sendable, args))
        kwargs = {name: _sendable(value) for name, value in kwargs.items()}
        with self.lock, self.guard.paused():
            call = {"call": target, "owner": owner, "args": args, "kwargs": kwargs, "changes": self.shared.changes()}
            message = protocol.pack(call)
            if len(message) > protocol.MAX_BYTES:
                raise ValueError(f"the arguments of {target.name} are too large")
            self.shared.add_arguments(LENT_CALL, [*args, *kwargs.values()])
            self.connection.send_bytes(message)
            result, error, changes = self.connection.recv()
            self.shared.apply(changes)
            del self.shared.objects[LENT_CALL]
        if error:
            raise protocol.make_error(*error)
        return result

    # --- the student's files ------------------------------------------------------------------------------------------

    def defined(self, owner: Any, name: str) -> Any:
        """Return a function or class that the exercise file defines as handed out."""
        try:
            return getattr(owner, name)
        except AttributeError:
            raise NotDefined(name) from None

    def module(self, file: str) -> tuple[ModuleType, list[str]]:
        """Return the student's module, imported the first time, and the statements that were left out."""
        if file not in self.loaded:
            with self.guard.watch():
                self.loaded[file] = import_what_works(file)
                for target in self.lent:
                    if target.module == file:
                        self._replace(self.loaded[file][0], target)
        return self.loaded[file]

    # --- objects that both sides have ---------------------------------------------------------------------------------

    def of_student(
        self, file: str, class_name: str, handle: int = 0, made_with: Any = None, changes: Any = None
    ) -> Any:
        """Return the student's class, or with a handle, their object for a proxy, brought up to date."""
        if handle not in self.objects:
            kind = self.defined(self.module(file)[0], class_name)
            if not handle:
                return kind
            with self.guard.watch():
                self.objects[handle] = kind.__new__(kind) if made_with is None else kind(*made_with[0], **made_with[1])
        self.shared.add(handle, self.objects[handle], changes)
        self.shared.apply({handle: changes})
        return self.objects[handle]

    # --- errors -------------------------------------------------------------------------------------------------------

    def _describe(self, error: BaseException) -> dict[str, Any]:
        """Return the answer for an error: its class, the first that both sides have, its text and its `name`."""
        name, text = str(getattr(error, "name", None) or "")[:1000], ""
        with suppress(Exception):
            text = str(error)[:1000]
            if isinstance(error, SyntaxError):
                text = f"{error.msg}: {(error.text or '').strip()[:MAX_SOURCE]}".rstrip(": ")
        said = [type(error).__name__, protocol.shared_base(error), text, name]
        return {"error": said, "origin": self._origin(error)}

    def _origin(self, error: BaseException) -> Origin | None:
        """Find where an error comes from: the last place in an exercise file, else in a package with exercises."""
        if isinstance(error, SyntaxError) and error.filename and self.guard.is_student_file(error.filename):
            return Origin("<module>", error.filename.removeprefix(self.folder), error.lineno or 1)
        places = [
            Origin(code.co_name, code.co_filename.removeprefix(self.folder), line)
            for code, line in lines_of(error.__traceback__)
            if self.guard.is_student_file(code.co_filename)
        ]
        written = [place for place in places if place.file in self.exercise_files]
        return [*places, *written][-1] if places else None


class PausedGuard(Guard):
    """Limits the student's code, and pauses where a lent function is called."""

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Count neither the waiting nor the processor time inside, which a lent function costs."""
        timer, began = signal.setitimer(signal.ITIMER_REAL, 0), time.thread_time()
        try:
            yield
        finally:
            self._last_tick += time.thread_time() - began
            signal.setitimer(signal.ITIMER_REAL, *timer)


def _sendable(argument: Any) -> Any:
    """Return an argument, or a list in place of items that travel in no other way, such as a generator's."""
    return [*argument] if isinstance(argument, Iterator | KeysView | ValuesView | range | deque) else argument


# --- importing a file without the statements that fail ----------------------------------------------------------------


def import_what_works(name: str) -> tuple[ModuleType, list[str]]:
    """Import a module. If that raises an error, run its statements one by one, and leave out those that raise one.

    So a missing library, a call of `input()` or `exit()`, a test at the end of the file, or a function that is not
    valid Python leaves the rest of the file usable.
    """
    try:
        return importlib.import_module(name), []
    except (OverLimit, MemoryError):
        raise
    except BaseException:
        spec = find_spec(name)
    assert spec and spec.origin
    module = sys.modules[name] = module_from_spec(spec)
    left_out: list[str] = []
    body = _valid(decode_source(Path(spec.origin).read_bytes()) + "\n", spec.origin, left_out).body
    future = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
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


def _valid(source: str, file: str, left_out: list[str]) -> ast.Module:
    """Parse a file without the functions that are not valid Python, which are added to `left_out`."""
    try:
        compile(source, file, "exec", dont_inherit=True)  # The parser alone misses some errors.
        return ast.parse(source)
    except SyntaxError as error:
        found = _OF_BLOCK.search(error.msg)
        number = max(int(found[1]) if found else error.lineno or 0, 1)
        before = sum(len(line) + 1 for line in source.split("\n")[: number - 1])
        parts = [part for part in _FUNCTION_OR_STATEMENT.finditer(source) if part.start() <= before < part.end(1)]
        if not parts or len(left_out) == MAX_LEFT_OUT:
            raise
        start, end = parts[-1].span(1)
        first, text = source.count("\n", 0, start) + 1, parts[-1][1].strip().partition("\n")[0]
        left_out.append(f"line {first} is left out: {text[:80]} (line {error.lineno}: {error.msg})"[:250])
        # Empty lines take its place, so the following ones keep their numbers.
        return _valid(source[:start] + "\n" * parts[-1][1].count("\n") + source[end:], file, left_out)


def main(connection: Connection) -> None:
    """Run the sandbox until the other side closes the connection."""
    die_with_parent()
    limit_this_process(STUDENT)
    settings: SandboxSettings = connection.recv()
    sandbox = Sandbox(connection, settings)
    if settings.isolated:
        restrict_this_process(settings)
    connection.send_bytes(b"ready")  # If the process ends before this, the student's code is not to blame.
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="replace")
    with suppress(EOFError):
        while True:
            sandbox.guard.limits = connection.recv()
            connection.send_bytes(sandbox.message(connection.recv_bytes()))
    os._exit(0)  # Without running the student's exit handlers.
