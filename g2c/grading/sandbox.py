"""The process behind the fence: it imports the student's files and calls what the judge asks for.

    main(socket's file descriptor, folder of the course's copy, scratch folder, folder of the corpora, packages)

A request is a pickle of plain values; stand-ins among them become objects of the student's classes. The answer is JSON:
what came back or was raised, what the call did to its arguments and to the objects, and what the fence has to tell.
Messages have a length of 8 bytes before them.
"""

import io
import json
import os
import pickle
import socket
import struct
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy  # noqa: F401  (loaded before the fence goes up, as the next one)
import tokenizers  # noqa: F401

from g2c.course.limits import Guard, Limits, OverLimit
from g2c.grading import wire
from g2c.grading.fence import MEGABYTE, Fence, set_limits
from g2c.grading.processes import die_with_parent

LENGTH = struct.Struct("!Q")
KEPT_OUTPUT = 2000
IMPORT_SECONDS = 8.0


class Printed(io.TextIOBase):
    """Takes the place of standard output and standard error: counts, and keeps the beginning."""

    def __init__(self) -> None:
        self.characters = 0
        self.beginning = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.beginning += str(text)[: KEPT_OUTPUT - len(self.beginning)]
        self.characters += len(text)
        return len(text)


class Sandbox:
    """The student's side of one connection."""

    def __init__(self, connection: socket.socket, folder: Path, fence: Fence, packages: list[str]) -> None:
        self.connection = connection
        self.folder = folder
        self.fence = fence
        self.printed = Printed()
        self.owner = os.getpid()
        prefixes = tuple(f"{folder / package.replace('.', '/')}{os.sep}" for package in packages)
        self.guard = Guard(lambda name: name.startswith(prefixes), lambda name: False)
        self.loaded: dict[str, Any] = {}
        self.objects: dict[int, Any] = {}
        self.seen: dict[int, dict[str, bytes | None]] = {}
        """Handle -> attribute -> its pickle when both sides last had the same."""

    def serve(self) -> None:
        while request := receive(self.connection):
            try:
                answer = self.answer(request)
            except BaseException as error:
                answer = {"error": self._told(error)}
            if os.getpid() != self.owner:
                os._exit(0)  # A process that the student's code has forked came back here.
            answer["notes"] = self.fence.notes
            answer["printed"] = [self.printed.characters, self.printed.beginning]
            send(self.connection, json.dumps(answer).encode())

    def answer(self, request: bytes) -> dict[str, Any]:
        """Make a call; say what came of it and what it changed."""
        touched: set[int] = set()
        arguments: list[Any] = []
        before: list[bytes | None] = []
        self.guard.limits = Limits()
        try:
            file, class_name, name, owner, args, kwargs, limits = _Reader(io.BytesIO(request), self, touched).load()
            if name is None:
                self.module(file)
                return {"result": None}
            function = self._find(file, class_name, name, owner)
            self.guard.limits = Limits(**limits)
            arguments = [*args, *kwargs.values()]
            before = [_snapshot(argument) for argument in arguments]
            with self.guard.watch():
                result = function(*args, **kwargs)
            same = next((i for i, argument in enumerate(arguments) if result is argument), None)
            answer = {"result": wire.pack(result)} if same is None else {"argument": same}
        except OverLimit as over:
            answer = {"over": [over.function, self._place(over), over.seconds, over.megabytes, over.returns]}
        except BaseException as error:
            answer = {"error": self._told(error)}
        changed = [i for i, was in enumerate(before) if was is None or _snapshot(arguments[i]) != was]
        answer["arguments"] = [[i, wire.pack(arguments[i])] for i in changed]
        answer["states"] = [[handle, self._changes(handle)] for handle in touched if handle in self.objects]
        return answer

    # --- the student's files ------------------------------------------------------------------------------------------

    def _find(self, file: str, class_name: str | None, name: str, owner: Any) -> Any:
        if owner is not None:
            return getattr(owner, name)
        found = self.module(file)
        return getattr(getattr(found, class_name) if class_name else found, name)

    def module(self, file: str) -> Any:
        """The student's module. One that could not be imported is not tried again."""
        if file not in self.loaded:
            limits, self.guard.limits = self.guard.limits, Limits(seconds=IMPORT_SECONDS)
            try:
                with self.guard.watch():
                    self.loaded[file] = import_module(file)
            except BaseException as error:
                self.loaded[file] = NotImportable(f"{file.replace('.', '/')}.py", error)
            finally:
                self.guard.limits = limits
        if isinstance(self.loaded[file], NotImportable):
            raise self.loaded[file]
        return self.loaded[file]

    # --- objects that both sides have ---------------------------------------------------------------------------------

    def object(self, file: str, class_name: str, handle: int, made_with: tuple | None, changes: dict) -> Any:
        """The student's object for a stand-in, brought to the state that the stand-in is in."""
        if handle not in self.objects:
            kind = getattr(self.module(file), class_name)
            with self.guard.watch():
                self.objects[handle] = kind.__new__(kind) if made_with is None else kind(*made_with[0], **made_with[1])
            self.seen[handle] = {}
        owner = self.objects[handle]
        for name, value in changes.items():
            current = getattr(owner, name, None)
            if _snapshot(current) != _snapshot(value):
                if type(current) is type(value) and isinstance(value, (dict, list)):
                    # In place: the student's code may know the same dictionary by another name.
                    current.clear()
                    current.update(value) if isinstance(value, dict) else current.extend(value)
                else:
                    setattr(owner, name, value)
            self.seen[handle][name] = _snapshot(getattr(owner, name, None))
        return owner

    def _changes(self, handle: int) -> dict[str, Any]:
        """Attributes that the call has changed, of those that the stand-in has."""
        changed = {}
        for name, before in self.seen[handle].items():
            value = getattr(self.objects[handle], name, None)
            after = _snapshot(value)
            if after != before or after is None:
                changed[name] = wire.pack(value)
                self.seen[handle][name] = after
        return changed

    # --- errors -------------------------------------------------------------------------------------------------------

    def _told(self, error: BaseException) -> dict:
        cause = error.error if isinstance(error, NotImportable) else error
        return {
            "kinds": [kind.__name__ for kind in type(cause).__mro__],
            "args": [wire.pack(argument) for argument in getattr(cause, "args", ())],
            "text": _text_of(cause),
            "place": self._place(cause),
            "import": error.file if isinstance(error, NotImportable) else None,
        }

    def _place(self, error: BaseException) -> list | None:
        """Function, file and line in the student's code that an exception comes from."""
        frames = [
            [frame.f_code.co_name, self._relative(frame.f_code.co_filename), line]
            for frame, line in traceback.walk_tb(error.__traceback__)
            if self.guard.is_student_file(frame.f_code.co_filename)
        ]
        if isinstance(error, SyntaxError) and error.filename and self.guard.is_student_file(error.filename):
            return ["<module>", self._relative(error.filename), error.lineno or 1]
        written = [frame for frame in frames if not frame[1].endswith(("base.py", "patterns.py", "special_tokens.py"))]
        return (written or [None])[-1]

    def _relative(self, file: str) -> str:
        return Path(file).relative_to(self.folder).as_posix()


class NotImportable(Exception):
    """A student's file that cannot be imported, and why."""

    def __init__(self, file: str, error: BaseException) -> None:
        super().__init__(file)
        self.file = file
        self.error = error


class _Reader(pickle.Unpickler):
    """Reads requests. They come from the judge, which no student's code can reach."""

    def __init__(self, stream: io.BytesIO, sandbox: Sandbox, touched: set[int]) -> None:
        super().__init__(stream)
        self.sandbox = sandbox
        self.touched = touched

    def persistent_load(self, told: tuple) -> Any:
        what, file, name, *rest = told
        if what == "name":
            return getattr(self.sandbox.module(file), name)
        handle = rest[0]
        self.touched.add(handle)
        return self.sandbox.object(file, name, *rest)


def _snapshot(value: Any) -> bytes | None:
    """A value's pickle, to see later whether it has changed; None for what cannot be pickled."""
    try:
        return pickle.dumps(value)
    except Exception:
        return None


def _text_of(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return str(error.msg)
    try:
        return str(error)[:1000]
    except Exception:
        return ""


def send(connection: socket.socket, message: bytes) -> None:
    connection.sendall(LENGTH.pack(len(message)) + message)


def receive(connection: socket.socket) -> bytes:
    """The next message; b"" when the other side has gone."""
    header = _receive(connection, LENGTH.size)
    return _receive(connection, LENGTH.unpack(header)[0]) if header else b""


def _receive(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(min(size, MEGABYTE))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def main(descriptor: int, folder: Path, scratch: Path, data: Path, packages: list[str]) -> None:
    connection = socket.socket(fileno=descriptor)
    die_with_parent()
    set_limits()
    fence = Fence(folder, scratch, data)
    sandbox = Sandbox(connection, folder, fence, packages)
    sys.stdout = sys.stderr = sandbox.printed
    fence.raise_up()
    sandbox.serve()
    os._exit(0)  # Whatever the student's code has registered for the end of the process has no turn.
