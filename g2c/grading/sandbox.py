"""Imports a student's files and answers the test runner's requests (protocol.py), in the student's process.

The test runner may lend the answer key's functions for some exercises. They take the place of the student's here, but
run in another process, so this one never contains any of the key's code.
"""

import ast
import importlib
import io
import os
import pickle
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import decode_source, find_spec, module_from_spec
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from types import FrameType, ModuleType
from typing import Any

import numpy
import tokenizers  # noqa: F401  (loaded before the code is watched)

from g2c.course.testing.limits import Guard, OverLimit, lines_of
from g2c.grading import protocol
from g2c.grading.processes import STUDENT, die_with_parent, limit_this_process
from g2c.grading.protocol import NotDefined, OpaqueValue, Origin, Shared, Target, of_student
from g2c.grading.wall import SandboxSettings, restrict_this_process

MAX_SOURCE = 100
MAX_LEFT_OUT = 5
"""Statements that are named, and parts of invalid Python that are left out."""
DEFINITION = re.compile(r"(async\s+)?def\b")
_OF_BLOCK = re.compile(r"^expected an indented block after .* on line (\d+)$")


class Sandbox:
    """Answers the requests on one connection."""

    def __init__(self, connection: Connection, settings: SandboxSettings) -> None:
        self.connection = connection
        self.folder = f"{settings.course}{os.sep}"
        self.exercise_files = {f"{self.folder}{name}" for name in settings.exercise_files}
        given = tuple(f"{os.path.dirname(file)}{os.sep}" for file in self.exercise_files)
        self.guard = PausedGuard(lambda name: name.startswith(given))
        self.lent = settings.lent
        self.lock = Lock()
        """Held while a lent function is called, since the student's code may have threads."""
        self.loaded: dict[str, ModuleType] = {}
        self.left_out: dict[str, list[str]] = {}
        """Exercise file -> the statements that failed when it was imported."""
        self.objects: dict[int, tuple[Any, Shared]] = {}
        """The student's objects, by the number of their handle."""
        self.touched: set[int] = set()
        """The numbers of the objects in the latest request."""

    def serve(self) -> None:
        """Answer requests until the runner closes the connection."""
        with suppress(EOFError):
            while True:
                request = io.BytesIO(self.connection.recv_bytes())
                self.guard.limits = pickle.load(request)
                self.connection.send_bytes(self._message(request))

    def _message(self, request: io.BytesIO) -> bytes:
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

    def answer(self, request: io.BytesIO) -> dict[str, Any]:
        """Make the requested call, and return its outcome and what it changed."""
        self.touched.clear()
        arguments: list[Any] = []
        passed = Shared()
        answer: dict[str, Any]
        try:
            file, name, owner, args, kwargs = _RequestReader(request, self).load()
            if not name:
                self.module(file)
                return {"result": self.left_out[file]}
            function = self.defined(self.module(file) if owner is None else owner, name)
            arguments = [*args, *kwargs.values()]
            passed = Shared(arguments)
            with self.guard.watch():
                result = function(*args, **kwargs)
            same = next((i for i, argument in enumerate([owner, *arguments]) if result is argument), None)
            answer = {"result": result} if result is None or same is None else {"argument": same}
        except OverLimit as over:
            limit = [over.function, over.seconds, over.megabytes, over.returns]
            answer = {"over": limit, "origin": self._origin(over)}
        except BaseException as error:
            answer = self._describe(error)
        answer |= {"arguments": passed.changes(dict(enumerate(arguments))), "states": self._states()}
        return answer

    # --- lent functions, which run in another process ---------------------------------------------------------------

    def _replace(self, module: ModuleType, target: Target) -> None:
        """Put a lent function in the place of the student's. An object that only the student's code knows keeps its
        own."""
        holder = getattr(module, target.class_name, None) if target.class_name else module
        own: Any = getattr(holder, target.name, None)

        def function(*args: Any, **kwargs: Any) -> Any:
            owner = args[0] if target.class_name else None
            number = next((handle for handle in self.touched if self.objects[handle][0] is owner), None)
            if target.class_name and number is None:
                return own(*args, **kwargs)
            return self._call_lent(target, number, args[1:] if target.class_name else args, kwargs)

        function.__name__ = target.name
        with suppress(Exception):
            setattr(holder, target.name, function)

    def _call_lent(self, target: Target, owner: int | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Have the test runner make a call with the object's state, and repeat here what it changed."""
        sent = {"args": [*map(_sendable, args)], "kwargs": {name: _sendable(value) for name, value in kwargs.items()}}
        message = protocol.pack({"call": target, "owner": owner, "states": self._states(), **sent})
        if len(message) > protocol.MAX_BYTES:
            raise ValueError(f"the arguments of {target.name} are too large")
        with self.lock:
            self.guard.is_waiting = True
            self.connection.send_bytes(message)
            reply = self.connection.recv_bytes()
            self.guard.is_waiting = False
        _, result, error, changed = _RequestReader(io.BytesIO(reply), self).load()
        for place, value in changed.items():
            protocol.update_in_place([*args, *kwargs.values()][place], value)
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

    def module(self, file: str) -> ModuleType:
        """Return the student's module, and import it the first time."""
        if file not in self.loaded:
            with self.guard.watch():
                self.loaded[file], self.left_out[file] = import_what_works(file)
                for target in self.lent:
                    if target.module == file:
                        self._replace(self.loaded[file], target)
        return self.loaded[file]

    # --- objects that both sides have ---------------------------------------------------------------------------------

    def of_student(
        self, file: str, class_name: str, handle: int = 0, made_with: Any = None, changes: Any = None
    ) -> Any:
        """Return the student's class, or with a handle, their object for a proxy, brought up to date."""
        if handle not in self.objects:
            kind = self.defined(self.module(file), class_name)
            if not handle:
                return kind
            with self.guard.watch():
                made = kind.__new__(kind) if made_with is None else kind(*made_with[0], **made_with[1])
            self.objects[handle] = made, Shared()
        self.touched.add(handle)
        owner, attributes = self.objects[handle]
        attributes.apply(owner, changes)
        return owner

    def _states(self) -> list[list[Any]]:
        """Return (handle, changed attributes) for each object in the request. A proxy gets no new attributes."""
        found = ((handle, *self.objects[handle]) for handle in self.touched if handle in self.objects)
        return [
            [handle, attributes.changes({name: getattr(owner, name, None) for name in attributes.known})]
            for handle, owner, attributes in found
        ]

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
        frames = [
            (code.co_name, code.co_filename, line)
            for code, line in lines_of(error.__traceback__)
            if self.guard.is_student_file(code.co_filename)
        ]
        written = [frame for frame in frames if frame[1] in self.exercise_files]
        if not frames:
            return None
        function, file, line = (written or frames)[-1]
        return Origin(function, file.removeprefix(self.folder), line)


class PausedGuard(Guard):
    """Does not count the time for which the code waits for a lent function."""

    is_waiting = False

    def _tick(self, signum: int, frame: FrameType | None) -> None:
        if self.is_waiting:
            self._passed()
        else:
            super()._tick(signum, frame)


class _RequestReader(pickle.Unpickler):
    """Reads a request or a reply of the test runner, which no student's code can reach."""

    def __init__(self, request: io.BytesIO, sandbox: Sandbox) -> None:
        super().__init__(request)
        self.sandbox = sandbox

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        return self.sandbox.of_student if found is of_student else found


def _sendable(value: Any) -> Any:
    """Return an argument, or the list of its items, such as a generator's."""
    travels = isinstance(value, str | bytes | list | tuple | set | frozenset | Mapping | numpy.ndarray)
    if travels or protocol.is_course_class(type(value)) or not isinstance(value, Iterable):
        return value
    return list(value)


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
        return _one_by_one(name)


def _one_by_one(name: str) -> tuple[ModuleType, list[str]]:
    spec = find_spec(name)
    assert spec and spec.origin
    module = sys.modules[name] = module_from_spec(spec)
    left_out: list[str] = []
    body = _valid(decode_source(Path(spec.origin).read_bytes()), spec.origin, left_out).body
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
        lines = source.splitlines(keepends=True)
        place = _OF_BLOCK.search(error.msg)
        part = _part_around(lines, int(place[1]) if place else error.lineno or 0)
        if not part or len(left_out) == MAX_LEFT_OUT:
            raise
        first = lines[part[0]].strip()
        left_out.append(f"line {part[0] + 1} is left out: {first[:80]} (line {error.lineno}: {error.msg})"[:250])
        for row in part:
            lines[row] = "\n"  # So the following lines keep their numbers.
        return _valid("".join(lines), file, left_out)


def _part_around(lines: list[str], number: int) -> range:
    """Return the rows of the function around a line, or else of the statement that is not indented."""
    rows = [(place, line.lstrip(), len(line) - len(line.lstrip())) for place, line in enumerate(lines) if line.strip()]
    for start, text, indentation in reversed([row for row in rows if row[0] < number]):
        if DEFINITION.match(text) or not indentation:
            after = [
                place for place, text, level in rows if place > start and level <= indentation and text[0] not in ")]}"
            ]
            end = after[0] if after else len(lines)
            if number <= end:
                while lines[start - 1].lstrip().startswith("@"):
                    start -= 1
                return range(start, end)
    return range(0)


def main(connection: Connection) -> None:
    """Run the sandbox until the other side closes the connection."""
    die_with_parent()
    limit_this_process(STUDENT)
    settings: SandboxSettings = pickle.loads(connection.recv_bytes())
    sandbox = Sandbox(connection, settings)
    if settings.isolated:
        restrict_this_process(settings)
    connection.send_bytes(b"ready")  # If the process ends before this, the student's code is not to blame.
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="replace")
    sandbox.serve()
    os._exit(0)  # Without running the student's exit handlers.
