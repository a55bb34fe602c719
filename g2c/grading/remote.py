"""The judge's side of the fence: the connection to the process that runs the student's code.

What comes back over it is plain data. A call that takes too long, takes too much memory, or ends its process
fails as it does in the student's own test run, and the next call finds a fresh process.
"""

import builtins
import io
import json
import pickle
import socket
import subprocess
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
import psutil

from g2c.common import errors
from g2c.common.paths import REPOSITORY, data_folder
from g2c.course.exercises import modules
from g2c.course.limits import Limits, OverLimit
from g2c.grading import wire
from g2c.grading.processes import START, end_processes, quiet_environment
from g2c.grading.sandbox import LENGTH

LIMITS = Limits(seconds_again=0.15, clock_factor=2.5)
GRACE = 1.5
"""Seconds by the clock that a call may stay behind the fence after the limits there should have ended it."""
AGAIN_AFTER_KILL = 0.5
IMPORT_SECONDS = 30.0
LARGEST_ANSWER = 64 * 2**20
ENDS_ALLOWED = 4
"""How often a function may end its process before it is called no more."""
HITS_ALLOWED = 12
"""How often in a row a function may hit its limit before it is called no more."""
NOTES = 20


@dataclass(frozen=True)
class Folders:
    """Where a student's code lives: the course's copy with the exercise files in it, and the folder to write to."""

    course: Path
    scratch: Path
    user: int | None = None
    """The user that the process runs as; None: the one that runs the judge."""


class Handle:
    """Joins a stand-in to the student's object. Copies of a stand-in share it."""

    _numbers = count(1)

    def __init__(self, made_with: tuple | None) -> None:
        self.number = next(self._numbers)
        self.made_with = made_with
        self.generation = 0
        """The process that knows the object; it has to be told everything again in a new one."""
        self.synced: dict[str, bytes | None] = {}

    def __deepcopy__(self, memo: dict) -> "Handle":
        return self


class Target(NamedTuple):
    """What is called: a method of an exercise class, or a function."""

    module: str
    """The exercise file as Python imports it: "g2c.tokenizer.bpe"."""
    class_name: str | None
    name: str | None
    """None: nothing, the file is just imported."""

    @property
    def file(self) -> str:
        """The exercise file, relative to the course's folder: "g2c/tokenizer/bpe.py"."""
        return f"{self.module.replace('.', '/')}.py"


class Student:
    """One student's code. Use as a context manager; at the end every process that belongs to it is ended."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self.process: subprocess.Popen | None = None
        self.connection: socket.socket | None = None
        self.generation = 0
        self.imported: set[str] = set()
        """Files that the process has imported."""
        self.not_importable: dict[str, tuple[Exception, list]] = {}
        """File -> why it cannot be imported, and the place; it is not tried again."""
        self.classes: dict[tuple[str, str], type] = {}
        self.ended: dict[str, int] = {}
        """Function -> how often its process had to be ended, or ended itself."""
        self.hits: Counter[str] = Counter()
        self.longest: dict[str, float] = {}
        """Function -> how often in a row it has hit a limit, and the seconds that it had the first time."""
        self.notes: list[str] = []
        self.printed = [0, ""]
        self.begin_test()

    def __enter__(self) -> "Student":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def begin_test(self) -> None:
        """Every test has the same time, whatever the ones before it took."""
        self.processor_used = self.clock_used = 0.0

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, target: Target, owner: Any, args: tuple, kwargs: dict) -> Any:
        """Call the student's function. Raises what it raised, or OverLimit."""
        if self.hits[target.name] >= HITS_ALLOWED:
            raise _over(target.name, None, self.longest[target.name])
        if self.ended.get(target.name, 0) >= ENDS_ALLOWED:
            self._raise(
                RuntimeError(f"{target.name} ended its process {ENDS_ALLOWED} times and is not called again"), target
            )
        processor = LIMITS.seconds - self.processor_used
        clock = min(LIMITS.clock(LIMITS.seconds) - self.clock_used, LIMITS.clock(max(processor, 0)))
        if processor <= 0 or clock <= 0:
            raise _over(target.name, None, self.clock_used, returns=True)
        if target.name in self.ended:
            clock = AGAIN_AFTER_KILL
        try:
            self._import(target)
            answer = self._exchange(self._request(target, owner, args, kwargs, processor), clock + GRACE)
        except _Ended as ended:
            self._count_end(target)
            self.note(f"{target.name} ended the process that it ran in (exit code {ended}).")
            self._raise(RuntimeError(f"{target.name} ended its process (exit code {ended})"), target)
        except _Stopped as stopped:
            self._count_end(target)
            seconds, megabytes = stopped.args
            if not megabytes:
                self.note(f"{target.name} did not return and could only be stopped together with its process.")
            raise _over(target.name, None, seconds, megabytes=megabytes) from None
        return self._take(answer, target, args, kwargs)

    def _count_end(self, target: Target) -> None:
        self.ended[target.name] = self.ended.get(target.name, 0) + 1

    def _import(self, target: Target) -> None:
        if target.module not in self.imported and target.module not in self.not_importable:
            if self.process is None:
                self._start()
            loading = Target(target.module, None, None)
            name = target.file
            place = ["<module>", name, 1]
            problem: Exception | None = None
            try:
                answer = self._exchange(self._request(loading, None, (), {}, LIMITS.seconds), IMPORT_SECONDS)
                self._take(answer, loading, (), {})
            except _Stopped as stopped:
                what = "sends something of its own" if stopped.args[1] else "does not come to its end"
                problem = ImportError(f"{name} {what} when it is imported")
            except _Ended as ended:
                problem = ImportError(f"{name} ends the process when it is imported (exit code {ended})")
            except ImportError as error:
                problem, place = error, _place_in(error, name)
            if problem is None:
                self.imported.add(target.module)
            else:
                self.not_importable[target.module] = problem, place
                self.note(f"{str(problem).rstrip('.')}.")
        if target.module in self.not_importable:
            problem, place = self.not_importable[target.module]
            self._raise(type(problem)(*problem.args), target, place)

    def _request(self, target: Target, owner: Any, args: tuple, kwargs: dict, processor: float) -> bytes:
        stream = io.BytesIO()
        limits = {"seconds": processor, "seconds_again": LIMITS.seconds_again, "clock_factor": LIMITS.clock_factor}
        self.touched: dict[int, Any] = {}
        _Writer(stream, self).dump((*target, owner, args, kwargs, limits))
        return stream.getvalue()

    def _exchange(self, request: bytes, seconds: float) -> dict:
        """Send a request and receive its answer. When anything goes wrong, the process is ended."""
        started, processor = time.monotonic(), self._processor_seconds()
        deadline = started + seconds
        try:
            self._send(request, deadline)
            answer = json.loads(self._receive(deadline))
            if not isinstance(answer, dict):
                raise ValueError("the answer is no dictionary")
        except TimeoutError:
            self.stop()
            raise _Stopped(time.monotonic() - started, 0) from None
        except _TooMuch as error:
            self.stop()
            raise _Stopped(time.monotonic() - started, error.args[0]) from None
        except (EOFError, OSError, ValueError, RecursionError):
            raise _Ended(self.stop()) from None
        except BaseException:
            self.stop()
            raise
        finally:
            self.clock_used += time.monotonic() - started
        self.processor_used += max(self._processor_seconds() - processor, 0.0)
        return answer

    def _take(self, answer: dict, target: Target, args: tuple, kwargs: dict) -> Any:
        """Bring stand-ins and arguments to the state that the call left; return or raise what came of it."""
        arguments = [*args, *kwargs.values()]
        try:
            for note in answer.get("notes", ()):
                self.note(f"The code {note}.")
            characters, beginning = answer.get("printed", (0, ""))
            self.printed = [int(characters), str(beginning)[:2000]]
            for number, changes in answer.get("states", ()):
                self._apply_state(self.touched.get(number), changes)
            for position, packed in answer.get("arguments", ()):
                _apply(arguments[position], wire.unpack(packed, self.find_class))
            if "over" in answer:
                function, place, seconds, megabytes, returns = answer["over"]
                error: BaseException = _over(
                    str(function or target.name), place, float(seconds), int(megabytes), bool(returns)
                )
            elif "error" in answer:
                error, place = self._error(answer["error"], target)
            elif "argument" in answer:
                self.hits.pop(target.name, None)
                return arguments[answer["argument"]]
            else:
                self.hits.pop(target.name, None)
                return wire.unpack(answer["result"], self.find_class)
        except Exception:
            self.stop()
            self._raise(RuntimeError(f"what {target.name or target.file} gave back cannot be read"), target)
        if isinstance(error, OverLimit):
            if not error.returns:
                self.hits[target.name] += 1
                self.longest.setdefault(target.name, error.seconds)
            raise error
        self._raise(error, target, place)

    def _apply_state(self, stand_in: Any, changes: dict) -> None:
        if stand_in is None:
            return
        handle = stand_in._remote
        for name, packed in changes.items():
            if name not in handle.synced:
                continue
            value = wire.unpack(packed, self.find_class)
            current = vars(stand_in).get(name)
            if not _apply(current, value):
                setattr(stand_in, name, value)
            handle.synced[name] = _pickled(vars(stand_in).get(name))

    def find_class(self, module: str, name: str) -> type | None:
        """The class of the course with this name, for objects that come back; a stand-in where there is one."""
        if (module, name) in self.classes:
            return self.classes[module, name]
        package, _, file = module.rpartition(".")
        if package not in _packages() or not file.isidentifier():
            return None
        if not (REPOSITORY / f"{module.replace('.', '/')}.py").is_file():
            return None
        found = getattr(import_module(module), name, None)
        return found if isinstance(found, type) and found.__module__ == module else None

    def note(self, sentence: str) -> None:
        if sentence not in self.notes and len(self.notes) < NOTES:
            self.notes.append(sentence[:300])

    # --- errors -------------------------------------------------------------------------------------------------------

    def _error(self, told: dict, target: Target) -> tuple[Exception, list | None]:
        kinds, text, place = [str(kind) for kind in told["kinds"]], str(told["text"]), told["place"]
        if told.get("import"):
            where = f", line {place[2]}" if place else ""
            reason = f"{kinds[0]}: {text}" if text else kinds[0]
            return ImportError(f"{told['import']} cannot be imported{where}: {reason}"), place or [
                "<module>",
                told["import"],
                1,
            ]
        arguments = tuple(wire.unpack(argument, self.find_class) for argument in told["args"])
        return _make_error(kinds, arguments, text), place

    def _raise(self, error: Exception, target: Target, place: list | None = None) -> None:
        """Raise an error as if it came from the student's file, where reports look for the place."""
        function, file, line = place or self._place_of(target)
        code = _raising(str(function), str(REPOSITORY / str(file)), min(max(int(line), 1), 1_000_000))
        exec(code, {"error": error})

    def _place_of(self, target: Target) -> list:
        return [target.name or "<module>", target.file, 1]

    # --- the process --------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        mine, theirs = socket.socketpair()
        folders = self.folders
        places = ", ".join(f"Path({str(place)!r})" for place in (folders.course, folders.scratch, data_folder()))
        main = f"main({theirs.fileno()}, {places}, {sorted(_packages())!r})"
        code = START.format(course=str(folders.course), task=f"from g2c.grading.sandbox import main\n{main}")
        user = {} if folders.user is None else {"user": folders.user, "group": folders.user, "extra_groups": []}
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-c", code],
                cwd=folders.scratch,
                env=quiet_environment(folders.scratch) | {"G2C_DATA": str(data_folder())},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                **user,
            )
        self.connection = mine
        self.generation += 1

    def stop(self) -> int | None:
        """End the process and all that it has started. Returns its exit code."""
        if self.process is None:
            return None
        self.connection.close()
        try:
            # One that ends by itself is worth a moment: its exit code says more.
            self.process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            pass
        end_processes(self.process)
        code = self.process.returncode
        self.process = self.connection = None
        self.imported.clear()
        return code

    def _processor_seconds(self) -> float:
        try:
            times = psutil.Process(self.process.pid).cpu_times()
        except (psutil.Error, AttributeError):
            return 0.0
        return times.user + times.system

    def _send(self, message: bytes, deadline: float) -> None:
        data = memoryview(LENGTH.pack(len(message)) + message)
        while data:
            self._wait_until(deadline)
            data = data[self.connection.send(data[: 2**20]) :]

    def _receive(self, deadline: float) -> bytes:
        size = LENGTH.unpack(self._receive_exactly(LENGTH.size, deadline))[0]
        if size > LARGEST_ANSWER:
            raise _TooMuch(size // 2**20)
        return self._receive_exactly(size, deadline)

    def _receive_exactly(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            self._wait_until(deadline)
            part = self.connection.recv(min(size, 2**20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _wait_until(self, deadline: float) -> None:
        self.connection.settimeout(max(deadline - time.monotonic(), 0.001))


def _packages() -> set[str]:
    """The packages that hold exercises."""
    return {module.package for module in modules().values()}


class _TooMuch(Exception):
    """An answer of this many megabytes."""


class _Stopped(Exception):
    """The process had to be ended, after so many seconds, for an answer of so many megabytes; 0 when none came."""


class _Ended(Exception):
    """The process has ended by itself, with this exit code."""


class _Writer(pickle.Pickler):
    """Writes requests. A stand-in is told as its handle and what has changed in it since both sides had the same."""

    def __init__(self, stream: io.BytesIO, student: Student) -> None:
        super().__init__(stream)
        self.student = student

    def persistent_id(self, value: Any) -> tuple | None:
        kind = type(value)
        if kind is type:
            place = getattr(value, "_place", None)
            return ("name", *place) if place else None
        place = getattr(kind, "_place", None)
        if place is None:
            return None
        handle = value._remote
        if handle.generation != self.student.generation:
            handle.generation, handle.synced = self.student.generation, {}
        changes = {}
        for name, content in vars(value).items():
            snapshot = _pickled(content)
            if name not in handle.synced or snapshot is None or handle.synced[name] != snapshot:
                changes[name] = content
                handle.synced[name] = snapshot
        self.student.touched[handle.number] = value
        return ("object", *place, handle.number, handle.made_with, changes)


# --- values and errors ------------------------------------------------------------------------------------------------


def _apply(live: Any, value: Any) -> bool:
    """Make a live value equal to a new one, in place. False when it has to be replaced."""
    if isinstance(live, dict) and isinstance(value, dict):
        live.clear()
        live.update(value)
    elif isinstance(live, set) and isinstance(value, set):
        live.clear()
        live.update(value)
    elif isinstance(live, (list, bytearray)) and isinstance(value, type(live)):
        live[:] = value
    elif isinstance(live, np.ndarray) and isinstance(value, np.ndarray) and live.shape == value.shape:
        live[...] = value
    elif type(live) is type(value) and wire.is_of_the_course(type(live)) and hasattr(live, "__dict__"):
        vars(live).update(vars(value))
    else:
        return False
    return True


def _pickled(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value)
    except Exception:
        return None


def _make_error(kinds: list[str], arguments: tuple, text: str) -> Exception:
    """An error of the kind that was raised. What would end the judge comes as an Exception of the same name."""
    known = [getattr(builtins, kind, None) or getattr(errors, kind, None) for kind in kinds]
    base = next((kind for kind in known if isinstance(kind, type) and issubclass(kind, Exception)), Exception)
    if base.__name__ == kinds[0]:
        try:
            return base(*arguments)
        except Exception:
            pass
    name = kinds[0] if kinds[0].isidentifier() else "Exception"
    kind = type(name, (base,), {"__init__": lambda self, text: None, "__str__": lambda self: text})
    return kind(text)


def _place_in(error: Exception, file: str) -> list:
    """Function, file and line of an error that `_raise` has raised."""
    frame = list(traceback.walk_tb(error.__traceback__))[-1]
    return [frame[0].f_code.co_name, file, frame[1]]


def _over(function: str, place: list | None, seconds: float, megabytes: int = 0, returns: bool = False) -> OverLimit:
    over = OverLimit(None, seconds, megabytes=megabytes, returns=returns)
    over.function = function
    over.place = (str(REPOSITORY / str(place[1])), int(place[2])) if place else None
    over.args = (over.sentence(),)
    return over


def _raising(function: str, file: str, line: int) -> CodeType:
    """Code that raises `error` in this function, at this line of this file."""
    code = compile("\n" * (line - 1) + "raise error from None", file, "exec")
    return code.replace(co_name=function)
