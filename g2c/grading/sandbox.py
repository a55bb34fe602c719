"""The student's process: it imports the student's files and answers the requests of the test runner (protocol.py).

Functions of these files may be replaced by calls that the test runner has made elsewhere. So the answer key's code for
some exercises is used by a student's code without ever being in this process.
"""

import io
import os
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from threading import RLock
from types import FrameType, ModuleType
from typing import Any

import numpy
import tokenizers  # noqa: F401  (loaded before the code is watched)

from g2c.course.testing.limits import Guard, OverLimit, lines_of
from g2c.grading import protocol
from g2c.grading.imports import import_what_works
from g2c.grading.processes import STUDENT, die_with_parent, limit_this_process
from g2c.grading.protocol import NotDefined, OpaqueValue, Origin, SharedAttributes, Target, of_student, snapshot
from g2c.grading.wall import SandboxSettings, restrict_this_process

MAX_SOURCE = 100
"""Characters of a line with a syntax error that are shown."""


class Sandbox:
    """The student's side of one connection."""

    def __init__(self, connection: Connection, settings: SandboxSettings) -> None:
        self.connection = connection
        self.folder = f"{settings.course}{os.sep}"
        self.exercise_files = {f"{self.folder}{name}" for name in settings.exercise_files}
        given = tuple(f"{os.path.dirname(file)}{os.sep}" for file in self.exercise_files)
        self.guard = PausedGuard(lambda name: name.startswith(given))
        self.elsewhere = settings.elsewhere
        self.lock = RLock()
        """Of the connection, while the student's code has something called elsewhere, for code with threads."""
        self.loaded: dict[str, ModuleType] = {}
        self.left_out: dict[str, list[str]] = {}
        """Exercise file -> what of it has failed when it was imported."""
        self.objects: dict[int, tuple[Any, SharedAttributes]] = {}
        """The student's objects, by the number of their handle."""
        self.touched: set[int] | None = None
        """The numbers of those in the request that is being answered; None between two requests."""

    def serve(self) -> None:
        """Answer requests until the runner closes the connection."""
        with suppress(EOFError):
            while True:
                self.touched = None
                self.guard.limits, request = pickle.loads(self.connection.recv_bytes())
                if self.guard.limits:  # Otherwise it is the reply to a call that has been given up.
                    self.connection.send_bytes(self._message(request))

    def _message(self, request: bytes) -> bytes:
        """Write the answer. A value that cannot be sent is no error, because a test might expect one."""
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
        """Make the call that is asked for, and return what came of it and what it changed."""
        touched, outer = set[int](), self.touched
        self.touched = touched
        arguments: list[Any] = []
        before: list[bytes | None] = []
        answer: dict[str, Any]
        try:
            file, name, owner, args, kwargs = _RequestReader(request, self, touched).load()
            if not name:
                self.module(file)
                return {"result": self.left_out[file]}
            function = self.defined(self.module(file) if owner is None else owner, name)
            arguments = [*args, *kwargs.values()]
            before = [snapshot(argument) for argument in arguments]
            with self.guard.watch() if outer is None else self.guard.resumed():
                result = function(*args, **kwargs)
            same = next((i for i, argument in enumerate([owner, *arguments]) if result is argument), None)
            answer = {"result": result} if result is None or same is None else {"argument": same}
        except OverLimit as over:
            limit = [over.function, over.seconds, over.megabytes, over.returns]
            answer = {"over": limit, "origin": self._origin(over)}
        except BaseException as error:
            answer = self._describe(error)
        changed = [i for i, was in enumerate(before) if was is None or snapshot(arguments[i]) != was]
        answer["arguments"] = [[i, arguments[i]] for i in changed]
        answer["states"] = self._states(touched)
        return answer

    # --- functions that run elsewhere ---------------------------------------------------------------------------------

    def _replace(self, module: ModuleType, target: Target) -> None:
        """Put a call that is made elsewhere in the place of a function, if the student's file has one there."""

        def function(*args: Any, **kwargs: Any) -> Any:
            return self.ask(target, *args, **kwargs) if target.class_name else self.ask(target, None, *args, **kwargs)

        function.__name__ = target.name
        with suppress(Exception):
            setattr(getattr(module, target.class_name) if target.class_name else module, target.name, function)

    def ask(self, target: Target, owner: Any, *args: Any, **kwargs: Any) -> Any:
        """Have a function called elsewhere, with the state of the object, and do here what it did to both."""
        arguments = [*args, *kwargs.values()]
        sent = list(map(_sendable, arguments))
        touched = self.touched or set()
        states = self._states(touched)
        number = next((handle for handle, _ in states if self.objects[handle][0] is owner), None)
        call: dict[str, Any] = {"call": target, "args": sent[: len(args)]}
        call["kwargs"] = dict(zip(kwargs, sent[len(args) :]))
        if number is None and owner is not None:
            number = -int.from_bytes(os.urandom(7), "big")
            call["made"] = [kind.__name__ for kind in type(owner).__mro__], vars(owner)
            self.objects[number] = owner, SharedAttributes()
            touched.add(number)
        call |= {"owner": number, "states": states}
        message = protocol.pack(call)
        if len(message) > protocol.MAX_BYTES:
            raise ValueError(f"the arguments of {target.name} are too large")
        with self.lock:
            while message:
                self.guard.is_asking = True
                self.connection.send_bytes(message)
                limits, reply = pickle.loads(self.connection.recv_bytes())
                message = self._message(reply) if limits else b""
                self.touched = touched
            self.guard.is_asking = False
        _, result, error, changed = _RequestReader(reply, self, touched).load()
        for place, value in changed:
            protocol.update_in_place(arguments[place], value)
        if error:
            raise protocol.make_error(*error)
        return result

    # --- the student's files ------------------------------------------------------------------------------------------

    def defined(self, owner: Any, name: str) -> Any:
        """Return what a module or object has under a name that the exercise file gives."""
        try:
            return getattr(owner, name)
        except AttributeError:
            raise NotDefined(name) from None

    def module(self, file: str) -> ModuleType:
        """Return the student's module, which is imported unless it has been."""
        if file not in self.loaded:
            with self.guard.watch():
                self.loaded[file], self.left_out[file] = import_what_works(file)
                for target in self.elsewhere:
                    if target.module == file:
                        self._replace(self.loaded[file], target)
        return self.loaded[file]

    # --- objects that both sides have ---------------------------------------------------------------------------------

    def object(
        self,
        file: str,
        class_name: str,
        handle: int,
        made_with: tuple[tuple[Any, ...], dict[str, Any]] | None,
        changes: dict[str, Any],
    ) -> Any:
        """Return the student's object for a proxy, brought to the state of the proxy."""
        if handle not in self.objects:
            kind = self.defined(self.module(file), class_name)
            with self.guard.watch():
                made = kind.__new__(kind) if made_with is None else kind(*made_with[0], **made_with[1])
            self.objects[handle] = made, SharedAttributes()
        owner, attributes = self.objects[handle]
        attributes.apply(owner, changes)
        return owner

    def _states(self, handles: Iterable[int]) -> list[list[Any]]:
        """Return (handle, attributes) for each object: what has changed of the attributes that the proxy has."""
        found = ((handle, *self.objects[handle]) for handle in handles if handle in self.objects)
        return [
            [handle, attributes.changes({name: getattr(owner, name, None) for name in attributes.known})]
            for handle, owner, attributes in found
        ]

    # --- errors -------------------------------------------------------------------------------------------------------

    def _describe(self, error: BaseException) -> dict[str, Any]:
        """Return the answer for an error: its class, the nearest that both sides have, its text and its `name`."""
        name = str(getattr(error, "name", None) or "")[:1000]
        said = [type(error).__name__, protocol.shared_base(error), _text_of(error), name]
        return {"error": said, "origin": self._origin(error)}

    def _origin(self, error: BaseException) -> Origin | None:
        """Find where an exception comes from: the last place in an exercise file, else in a package with exercises."""
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
    """Leaves out the time in which the code waits for a call that it has asked for."""

    is_asking = False

    @contextmanager
    def resumed(self) -> Iterator[None]:
        """Watch a call that comes while another one waits as a part of that one."""
        self.is_asking = False
        try:
            yield
        finally:
            self.is_asking = True

    def _tick(self, signum: int, frame: FrameType | None) -> None:
        if self.is_asking:
            self._passed()
        else:
            super()._tick(signum, frame)


class _RequestReader(pickle.Unpickler):
    """Reads a request. It comes from the test runner, which no student's code can reach."""

    def __init__(self, request: bytes, sandbox: Sandbox, touched: set[int]) -> None:
        super().__init__(io.BytesIO(request))
        self.sandbox = sandbox
        self.touched = touched

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (of_student.__module__, of_student.__name__):
            return self._of_student
        return super().find_class(module, name)

    def _of_student(self, what: str, *reference: Any) -> Any:
        file, name, *rest = reference
        if what == "class":
            return self.sandbox.defined(self.sandbox.module(file), name)
        handle, made_with, changes = rest
        self.touched.add(handle)
        return self.sandbox.object(file, name, handle, made_with, changes)


def _sendable(value: Any) -> Any:
    """Return an argument, or the list of what is in it, such as in a generator."""
    travels = isinstance(value, str | bytes | list | tuple | set | frozenset | Mapping | numpy.ndarray)
    if travels or protocol.is_course_class(type(value)) or not isinstance(value, Iterable):
        return value
    return list(value)


def _text_of(error: BaseException) -> str:
    try:
        if isinstance(error, SyntaxError):
            return f"{error.msg}: {(error.text or '').strip()[:MAX_SOURCE]}".rstrip(": ")
        return str(error)[:1000]
    except Exception:
        return ""


def main(connection: Connection) -> None:
    """Run the sandbox until the other side closes the connection."""
    die_with_parent()
    limit_this_process(STUDENT)
    settings: SandboxSettings = pickle.loads(connection.recv_bytes())
    sandbox = Sandbox(connection, settings)
    restrict_this_process(settings)
    connection.send_bytes(b"ready")  # If it ends before this, that is not because of the student's code.
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="replace")
    sandbox.serve()
    os._exit(0)  # What the student's code has registered for the end of the process is not run.
