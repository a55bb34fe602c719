"""Runs one student's file, in a process of its own, and answers one call at a time: the pupil's process.

    request    a limit of time, and a pickle: the function and its arguments, for a method first its object
    answer     plain data (values.py): how the call ended, its result, and each argument that it has changed

Nothing is kept between calls but what the student's code itself keeps, so whoever ends this process starts another
one, and repeats nothing. An object arrives with all its attributes and leaves with them: those that the examiner knows
as plain data, and those that the student's code has added as a pickle, which only this process reads again.
"""

import os
import pickle
import resource
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

from coach.grading import values
from coach.grading.importing import Wanted, import_what_works
from coach.grading.values import OpaqueValue
from coach.testing.limits import Guard, Limits, OverLimit, lines_of

OF_PROCESS = {resource.RLIMIT_AS: 2**32, resource.RLIMIT_FSIZE: 2**20, resource.RLIMIT_NOFILE: 64}
"""Bytes of memory, bytes in a file, and open files."""
IMPORT = ""
"""In place of a function's name: the module is only imported."""
MAX_ERROR, MAX_SOURCE = 1000, 100
"""Characters of an error's text, and of the line of a SyntaxError."""


class NotDefined(NotImplementedError):
    """Says that the student's code lacks a name that the exercise file defines as handed out."""


class Pupil:
    """Answers requests for calls of the code in one copy of the course.

    Args:
        course: the folder of the copy.
        wanted: the exercises in each exercise file, which is named as Python imports it. The folders of these files
            have no code but the student's and the given code.
    """

    def __init__(self, course: str, wanted: Mapping[str, Wanted]) -> None:
        self.folder, self.wanted = f"{course}{os.sep}", wanted
        self.exercise_files = [f"{name.replace('.', os.sep)}.py" for name in wanted]
        self.folders = tuple(f"{self.folder}{os.path.dirname(file)}{os.sep}" for file in self.exercise_files)
        self.known: dict[int, Collection[str]] = {}
        """The `id` of each object in the request -> the attributes that the examiner knows."""
        vars(sys.modules[__name__])["of_student"] = self.of_student

    def message(self, seconds: float, request: bytes) -> bytes:
        """Write the answer. A value that cannot be sent raises no error here, because a test might expect one."""
        began = time.process_time()
        answer = self.answer(seconds, request)
        answer["ending"]["seconds"] = time.process_time() - began
        ending: dict[str, Any] = {}
        result: Any = OpaqueValue("<a value that is too large, or contains itself>")
        try:
            message = values.pack(answer, self.known)
            if len(message) <= values.MAX_BYTES:
                return message
        except (ValueError, RecursionError):
            pass
        except BaseException as error:
            ending, result = self._described(error), None
        return values.pack({"ending": ending, "result": result, "changed": {}})

    def answer(self, seconds: float, request: bytes) -> dict[str, Any]:
        """Make the requested call. Return how it ended, its result, and the arguments that it has changed."""
        self.known.clear()
        ending: dict[str, Any] = {}
        result: Any = None
        passed: list[Any] = []
        before: list[bytes | None] = []
        try:
            with Guard(lambda file: file.startswith(self.folders), Limits(seconds=seconds)).watch():
                # Objects in the request are made, so their module is imported.
                name, is_method, function_name, args, kwargs = pickle.loads(request)
                module, result = self._imported(name)
                if function_name != IMPORT:
                    passed = [*args, *kwargs.values()]
                    before = [*map(_snapshot, passed)]
                    owner, *rest = args if is_method else (module, *args)
                    result = defined(owner, function_name)(*rest, **kwargs)
                    if isinstance(result, Iterator):
                        ending["iterator"] = type(result).__name__
                        result = [*islice(result, values.MAX_ITEMS)]
        except BaseException as error:
            ending, result = self._described(error), None
        after = zip(before, map(_snapshot, passed))
        changed = {place: passed[place] for place, (was, now) in enumerate(after) if now is None or now != was}
        same = [place for place, argument in enumerate(passed) if result is argument is not None]
        if same:
            ending, result = {"argument": same[0]}, None
        return {"ending": ending, "result": result, "changed": changed}

    def of_student(self, module: str, class_name: str, attributes: Mapping[str, Any], own: Any, made: Any) -> Any:
        """Return an object of the student's class for one that a request contains.

        Args:
            own: the pickled attributes that only the student's code knows; None if it has not seen the object yet.
            made: in that case, the arguments of its constructor.
        """
        kind = defined(self._imported(module)[0], class_name)
        found = kind(*made[0], **made[1]) if made else kind.__new__(kind)
        vars(found).update(pickle.loads(own) if own else {})
        vars(found).update(attributes)
        self.known[id(found)] = attributes.keys()
        return found

    def _imported(self, name: str) -> tuple[ModuleType, list[str]]:
        return import_what_works(name, self.wanted.get(name, ()))

    def _described(self, error: BaseException) -> dict[str, Any]:
        """Return the fields of the `Ending` for an error."""
        if isinstance(error, OverLimit):
            said = {"error": OverLimit.__name__, "name": error.function or "", "used": error.seconds}
            return said | {"megabytes": error.megabytes, "returns": error.returns, "place": self._place(error)}
        text = ""
        with suppress(Exception):
            text = str(error)[:MAX_ERROR]
            if isinstance(error, SyntaxError):
                text = f"{error.msg}: {(error.text or '').strip()[:MAX_SOURCE]}".rstrip(": ")
        said = {"error": type(error).__name__, "base": values.shared_base(error), "text": text}
        name = str(getattr(error, "name", None) or "")[:MAX_ERROR]
        return said | {"name": name, "place": self._place(error)}

    def _place(self, error: BaseException) -> dict[str, Any] | None:
        """Find the function, file and line that an error comes from: the last place in an exercise file, else in a
        package with exercises."""
        places = [(code.co_name, code.co_filename, line) for code, line in lines_of(error.__traceback__)]
        if isinstance(error, SyntaxError):
            places.append(("<module>", str(error.filename), error.lineno or 1))
        places = [
            (function, file.removeprefix(self.folder), line)
            for function, file, line in places
            if file.startswith(self.folders)
        ]
        written = [place for place in places if place[1] in self.exercise_files]
        found = [*places, *written]
        return dict(zip(("function", "file", "line"), found[-1])) if found else None


def of_student(*reference: Any) -> Any:
    """Return the student's object for one that a request contains. `Pupil` puts its own method here."""
    raise NotImplementedError


def defined(owner: Any, name: str) -> Any:
    """Return a function or class that the exercise file defines as handed out."""
    try:
        return getattr(owner, name)
    except AttributeError:
        raise NotDefined(name) from None


def _snapshot(value: Any) -> bytes | None:
    """Return a value's content, to see later whether it has changed; None if that cannot be seen."""
    try:
        return pickle.dumps(value)
    except Exception:
        return None


def limit_this_process() -> None:
    """Limit what this process may use, as far as the system does so: macOS refuses a limit for memory."""
    for kind, most in {**OF_PROCESS, resource.RLIMIT_CORE: 0}.items():
        hard = resource.getrlimit(kind)[1]
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


def main(descriptor: int, course: str, wanted: Mapping[str, Wanted]) -> None:
    """Answer requests on a connection until the other side closes it."""
    limit_this_process()
    connection = Connection(descriptor)
    pupil = Pupil(course, wanted)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="replace")
    connection.send_bytes(b"ready")  # If the process ends before this, the student's code is not to blame.
    with suppress(EOFError):
        while True:
            connection.send_bytes(pupil.message(*connection.recv()))
    os._exit(0)  # Without running the student's exit handlers.
