"""Gives the tests proxies for a student's classes and functions, and makes their calls in the pupil's process.

A proxy class is the exercise file's given class, as the course hands it out, in which each method that students write
sends its arguments and its object to the pupil's process. So given code, such as `train`, runs here, and each call of
`train_step` crosses. The other way, with the given code beside the student's, would cross less often, but a student
could change it there: then tests would see a `train` that was never handed out, and marks would depend on whose it is.
Here a test sees the student's answers and otherwise only code of the course.

Nothing is shared. A request has all that a call needs, and its answer all that the call has changed; `update` repeats
this here. A process that ends, or is ended because it exceeds a limit, fails its call, and the next call has a new one.
"""

import ast
import io
import os
import pickle
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from multiprocessing import Pipe
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, NoReturn

import psutil

from coach.common.paths import REPOSITORY, is_own_package
from coach.diagnosis.syntax import first_line
from coach.exercises import Module, modules
from coach.grading import pupil, values
from coach.grading.folders import importable_packages
from coach.grading.importing import Wanted, returns_a_value
from coach.grading.pupil import IMPORT, NotDefined
from coach.grading.records import add_note
from coach.grading.wall import Wall
from coach.source import functions, parsed, todos_in
from coach.testing.limits import EndedProcess, Limits, OverLimit
from coach.testing.record import read_as
from coach.testing.report import Place

LIMITS = Limits()
AFTER_A_FAILURE = 1.0
"""Seconds for a function whose last call did not return."""
IMPORTING = 8.0
MAX_FAILURES = 12
"""A function is not called again after so many calls in a row that did not return."""
MAX_LINE = 1_000_000
MAX_PARSED = 200_000
"""Bytes of a file whose code is looked at. It has been imported as it is, so it can be parsed quickly."""
LOOKS = 0.1
"""Seconds between two looks at a process that is working."""
GRACE = 1.0
"""Seconds beyond a call's limit, until its own guard in the pupil's process has ended it."""
NOT_STARTED = 70
"""The exit code of an examiner that cannot start a pupil's process: a fault of the machine."""
_START = """
import sys
sys.path.insert(0, {course!r})
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
from coach.grading.pupil import main
main({descriptor}, {course!r}, {wanted!r})
"""


class Target(NamedTuple):
    """Names a method of an exercise class, or a function, that is called."""

    module: str
    class_name: str | None
    name: str

    @property
    def file(self) -> str:
        """Return the exercise file's path, relative to the course's folder."""
        return f"{self.module.replace('.', '/')}.py"


@dataclass(frozen=True)
class Ending:
    """Says how a call ended, in an answer from the pupil's process (`Pupil.message`)."""

    seconds: float = 0.0
    """Processor time."""
    argument: int | None = None
    """The place of the argument that was returned."""
    iterator: str = ""
    """The class of the iterator that was returned; the result has its items."""
    error: str = ""
    """The class of the error that was raised; "" if the call returned."""
    base: str = ""
    """The first of its classes that both sides have."""
    text: str = ""
    name: str = ""
    """Its attribute `name`; of an OverLimit, the function that was stopped."""
    place: Place | None = None
    used: float = 0.0
    """Of an OverLimit: the seconds; and the megabytes, if memory was the reason."""
    megabytes: int = 0
    returns: bool = False
    """Whether every single call returned, but together they took too long."""

    @property
    def over(self) -> bool:
        """Tell whether a limit was exceeded."""
        return self.error == OverLimit.__name__

    @property
    def origin(self) -> Place | None:
        """Return the place, if the file is beside the exercises. A report shows its lines, and no student may see those
        of other files."""
        folders = {os.path.dirname(module.exercise_path) for module in modules().values()}
        if self.place is None or os.path.dirname(self.place.file) not in folders:
            return None
        return replace(self.place, line=min(max(self.place.line, 1), MAX_LINE))


class NotImported(ImportError):
    """Says that a submitted file cannot be imported. A note says so, too."""


class NoAnswer(Exception):
    """Says that a process has ended without an answer, as a clause without its subject; "" for a time limit."""


# --- the process ------------------------------------------------------------------------------------------------------


class PupilProcess:
    """Runs the code in one copy of the course, behind a wall."""

    def __init__(self, course: Path, wall: Wall) -> None:
        self.imported: set[str] = set()
        self._connection, theirs = Pipe()
        code = _START.format(course=str(course), descriptor=theirs.fileno(), wanted=_wanted())
        with theirs:
            self._process = wall.start([sys.executable, "-s", "-P", "-B", "-c", code], course, theirs.fileno())
        with suppress(EOFError, OSError):
            if self._connection.recv_bytes() == b"ready":
                return
        os._exit(NOT_STARTED)

    def exchange(self, request: bytes, seconds: float) -> bytes:
        """Send a request, and return the answer.

        The process may use so much processor time, and wait longer by LIMITS.clock_factor; a busy machine costs it
        nothing. Raises NoAnswer if its time is up, and EOFError or OSError if it has ended.
        """
        began: float | None = None
        waited = 0.0
        self._connection.send((seconds, request))
        while not self._connection.poll(LOOKS):
            used, is_running = self._usage()
            began = used if began is None else began
            waited += 0.0 if is_running else LOOKS
            if used - began > seconds + GRACE or waited > (seconds + GRACE) * LIMITS.clock_factor:
                raise NoAnswer("")
        return self._connection.recv_bytes(values.MAX_BYTES)

    def _usage(self) -> tuple[float, bool]:
        """Return the processor time of the process and all that it has started, and whether one of them is running."""
        used, is_running = 0.0, False
        for member in family(self._process.pid):
            with suppress(psutil.Error):
                used += sum(member.cpu_times()[:2])
                is_running = is_running or member.status() == psutil.STATUS_RUNNING
        return used, is_running

    def stop(self) -> int:
        """End the process and those that it has started, and return its exit code."""
        self._connection.close()
        with suppress(subprocess.TimeoutExpired):
            # If it is about to end by itself, its own exit code says more.
            self._process.wait(timeout=0.2)
        end_processes(self._process.pid)
        return self._process.wait()


@cache
def _wanted() -> dict[str, Wanted]:
    """Return the exercises that the pupil's process finds in each exercise file."""
    found: dict[str, Wanted] = {}
    for module in modules().values():
        # A module that is not graded may be unfinished.
        key = functions(parsed(module.key_file)) if module.key_file.is_file() else {}
        names = (each.qualified_name for each in module.exercises)
        found[module.import_name] = tuple((name, name not in key or returns_a_value(key[name])) for name in names)
    return found


def family(process_id: int) -> list[psutil.Process]:
    """Return a process, and before it all its descendants that can be found."""
    with suppress(psutil.Error):
        process = psutil.Process(process_id)
        return [*process.children(recursive=True), process]
    return []


def end_processes(process_id: int) -> None:
    """Kill a process and its descendants."""
    for member in family(process_id):
        with suppress(psutil.Error):
            member.kill()


# --- calls ------------------------------------------------------------------------------------------------------------


class Student:
    """Calls one student's code. `close` ends the pupil's process; the next call starts another one."""

    def __init__(self, course: Path, wall: Wall) -> None:
        self.course, self.wall = course, wall
        self.process: PupilProcess | None = None
        self.classes: dict[str, type] = {}
        """The given code's classes, and proxies for the student's, by name."""
        self.functions: dict[Target, FunctionType] = {}
        """The proxies for the student's functions and methods."""
        self.notes: list[str] = []
        self.on_note: Callable[[str, bool], None] = lambda sentence, forgiven: None
        """Called with each new note, and whether it says that a fault was forgiven. A run may be ended at any time."""
        self.import_errors: dict[str, tuple[str, Place | None]] = {}
        """Module -> why and where it cannot be imported."""
        self.repaired: set[str] = set()
        """Modules that were imported with repairs, or without some of their code. Notes say which."""
        self._failures: defaultdict[Target, list[str]] = defaultdict(list)
        """Function -> how each of its last calls, if they did not return, ended the process; "" for a limit."""
        self.used = 0.0
        """Seconds of processor time that the calls of the running test took."""

    def forget(self) -> None:
        """End the process, and forget what went wrong so far."""
        self.close()
        for remembered in (self._failures, self.import_errors, self.repaired, self.notes):
            remembered.clear()

    def close(self) -> int:
        """End the process, and return its exit code."""
        process, self.process = self.process, None
        return process.stop() if process else 0

    def note(self, sentence: str, *, forgiven: bool = False) -> None:
        if add_note(self.notes, sentence):
            self.on_note(self.notes[-1], forgiven)

    def call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the student's function or method, whose object is then the first argument.

        Raises what the student's code raised; EndedProcess if it ended the process; OverLimit if this call, or all
        calls of this test together, exceeded a limit.
        """
        failures, left = self._failures[target], LIMITS.seconds - self.used
        if len(failures) >= MAX_FAILURES:
            did_not_return(target, failures[-1], LIMITS.seconds)
        if left <= 0:
            raise OverLimit(target.name, None, self.used, returns=True)
        self._import(target.module)
        seconds = min(left, AFTER_A_FAILURE) if failures else left
        try:
            ending, result = self._exchange(target, args, kwargs, seconds)
        except NoAnswer as failure:
            failures.append(str(failure))
            self.used += 0.0 if str(failure) else seconds
            self.note(f"{target.name} {str(failure) or 'did not return, so its process was ended'}.")
            did_not_return(target, str(failure), seconds)
        self.used += ending.seconds
        if ending.over:
            failures.extend([] if ending.returns else [""])
            where = (str(REPOSITORY / ending.origin.file), ending.origin.line) if ending.origin else None
            name = ending.name or target.name
            raise OverLimit(name, where, ending.used, megabytes=ending.megabytes, returns=ending.returns)
        failures.clear()
        if ending.error:
            raise_at(self._error(target, ending), ending.origin, target)
        return result

    def _import(self, module: str) -> None:
        """Import a module in the process. One that cannot be imported raises NotImported, and is not tried again."""
        target = Target(module, None, IMPORT)
        if self.process and module in self.process.imported:
            return
        if module not in self.import_errors:
            problem, place = self._problem_of_import(target)
            if not problem:
                return
            self.note(f"{target.file} {problem.rstrip('.')}.")
            self.import_errors[module] = f"{target.file} {problem}", place
        raise_at(NotImported(self.import_errors[module][0]), self.import_errors[module][1], target)

    def _problem_of_import(self, target: Target) -> tuple[str, Place | None]:
        """Import a module, and return why and where this failed; "" if it did not."""
        unfinished = "does not finish when it is imported"
        try:
            ending, left_out = self._exchange(target, (), {}, IMPORTING)
        except NoAnswer as failure:
            return f"cannot be imported: it {failure}" if str(failure) else unfinished, None
        if ending.over:
            return unfinished, ending.origin
        if ending.error:
            where = f", line {ending.origin.line}" if ending.origin else ""
            error = self._error(target, ending)
            return f"cannot be imported{where}: {type(error).__name__}: {error}".removesuffix(": "), ending.origin
        for number, sentence in enumerate(left_out if isinstance(left_out, list) else []):
            self.repaired.add(target.module)
            self.note(f"{target.file}, {sentence}.", forgiven=number == 0)
        if self.process:
            self.process.imported.add(target.module)
        if target.module not in self.repaired:
            self._show_code(target)
        return "", None

    def _show_code(self, target: Target) -> None:
        """Have the proxies for an imported file name its functions' places, where a diagnosis finds their code."""
        file = self.course / target.file
        with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            code = file.read_bytes()
            own = functions(ast.parse(code)) if len(code) < MAX_PARSED else {}
            for place, proxy in self.functions.items():
                node = own.get(proxy.__qualname__)
                # Where the TODO is left, the code stands elsewhere in the file.
                if place.module == target.module and node and not any(todos_in(node)):
                    begin = first_line(node)
                    proxy.__code__ = proxy.__code__.replace(co_filename=str(file), co_firstlineno=begin)

    def _exchange(
        self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float
    ) -> tuple[Ending, Any]:
        """Have the process make a call, and repeat here what it has changed in its arguments.

        Returns how the call ended, and the value that it returned. Raises NoAnswer, after which there is no process.
        """
        request = io.BytesIO()
        _RequestWriter(request).dump((target.module, target.class_name is not None, target.name, args, kwargs))
        self.process = self.process or PupilProcess(self.course, self.wall)
        passed = [*args, *kwargs.values()]
        try:
            answer = values.unpack(self.process.exchange(request.getvalue(), seconds), self.classes)
            ending = read_as(Ending, answer["ending"])
            if not (ending.seconds >= 0 and ending.used >= 0):
                raise ValueError("no call gives time back")
            for place, value in answer["changed"].items():
                update(passed[place], value)
            result = answer["result"] if ending.argument is None else passed[ending.argument]
            if name := ending.iterator:
                result = values.opaque(name, f"<{name} object>", True, items=[*result])
            return ending, result
        except (EOFError, OSError):
            raise NoAnswer(f"ended its process (exit code {self.close()})") from None
        except Exception as error:
            self.close()
            # Whatever cannot be read was not written by `Pupil`: the code has written to the connection.
            raise error if isinstance(error, NoAnswer) else NoAnswer("was stopped: its answer cannot be read") from None

    def _error(self, target: Target, ending: Ending) -> Exception:
        if ending.error == NotDefined.__name__:
            self.note(f"The code does not define {ending.text}.")
        elif ending.error == ModuleNotFoundError.__name__ and is_own_package(ending.name):
            who = f"{ending.origin.file}, line {ending.origin.line}," if ending.origin else "The code"
            self.note(f"{who} needs {ending.name}, which is not there when a submission is graded.")
        elif issubclass(values.ERRORS.get(ending.base, Exception), OSError):
            why = "Grading forbids other files, programs and the network, and limits memory and open files"
            self.note(f"{why}, which {target.name} uses ({ending.error}: {ending.text}).")
        return values.make_error(ending.error, ending.base, ending.text, self.classes)


def did_not_return(target: Target, why: str, seconds: float) -> NoReturn:
    """Raise the error for a call that did not return: it ended its process, or took too long if `why` is ""."""
    if why:
        raise_at(EndedProcess(f"{target.name} {why}"), None, target)
    raise OverLimit(target.name, None, seconds) from None


def raise_at(error: Exception, place: Place | None, target: Target) -> NoReturn:
    """Raise an error with a traceback that ends in the student's file, where reports look for the place."""
    place = place or Place(target.name or "<module>", target.file, 1)
    source = "\n" * (place.line - 1) + "raise error from None"
    exec(compile(source, str(REPOSITORY / place.file), "exec").replace(co_name=place.function), {"error": error})
    raise AssertionError("unreachable")


def update(live: Any, new: Any) -> bool:
    """Give a value the content that its copy has now. It changes in place, since other names may refer to it.

    Returns whether it could be done. Objects of the course keep their attributes, and get no others.
    """
    if isinstance(live, dict) and isinstance(new, dict) or isinstance(live, set) and isinstance(new, set):
        live.clear()
        live.update(new)
    elif isinstance(live, list) and isinstance(new, list):
        live[:] = new
    elif hasattr(live, "shape") and type(live) is type(new) and live.shape == new.shape and live.dtype == new.dtype:
        live[...] = new
    elif type(live) is type(new) and values.is_course_class(type(live)) and hasattr(live, "__dict__"):
        for name in vars(live).keys() & vars(new).keys():
            if not update(vars(live)[name], vars(new)[name]):
                vars(live)[name] = vars(new)[name]
        if hasattr(live, "_own"):
            live._own = new._own
    else:
        return False
    return True


# --- requests and proxies ---------------------------------------------------------------------------------------------


class _RequestWriter(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """Have the other side make the student's object for a proxy."""
        kind = type(value)
        if not hasattr(kind, "_place"):
            return NotImplemented
        # With the attributes that are made when they are asked for, and without objects that the other side lacks.
        state = {name: getattr(value, name) for name in {**vars(value), **kind._names} if hasattr(value, name)}
        state = {name: content for name, content in state.items() if _is_known(type(content))}
        made_with = value._made_with if value._own is None else None
        return pupil.of_student, (*kind._place, state, value._own, made_with)


def _is_known(kind: type) -> bool:
    """Say whether the pupil's process has a class."""
    packages = tuple(f"{package}." for package in importable_packages())
    return not values.is_course_class(kind) or f"{kind.__module__}.".startswith(packages)


def make_proxies(module: Module, student: Student) -> dict[str, Any]:
    """Return, for each public name of a module, the class or function that calls the student's."""
    given = import_module(module.import_name)
    classes = (each for each in vars(given).values() if isinstance(each, type) and values.is_course_class(each))
    student.classes.update({each.__name__: each for each in classes})
    proxies: dict[str, Any] = {}
    for name in module.public_names:
        original = getattr(given, name)
        if isinstance(original, type):
            proxies[name] = student.classes[name] = _make_class(module, original, proxies, student)
        else:
            proxies[name] = _make_function(Target(module.import_name, None, name), student)
    return proxies


def _make_class(module: Module, original: type[Any], proxies: dict[str, Any], student: Student) -> type:
    name = original.__name__
    bases = (original, *(proxies[base.__name__] for base in original.__mro__[1:] if base.__name__ in proxies))
    initialize: Callable[..., None] = original.__init__

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        proxy: Any = object.__new__(cls)
        proxy._own, proxy._made_with = None, None
        return proxy

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        initialize(self, *args, **kwargs)
        self._made_with = (args, kwargs)
        type(self)._names.update(dict.fromkeys(vars(self)))

    members: dict[str, Any] = {"__new__": __new__, "__init__": __init__, "__doc__": original.__doc__}
    members |= {"__module__": original.__module__, "_place": (module.import_name, name), "_names": {}}
    for exercise in module.exercises:
        if exercise.class_name == name:
            members[exercise.name] = _make_function(Target(module.import_name, name, exercise.name), student)
    if len(bases) == 1:
        # So these are not among the attributes, which are the object's state: what only the student's code knows of
        # it, None until that code has seen it, and the arguments of its constructor.
        members["__slots__"] = ("_own", "_made_with")
    return type(name, bases, members)


def _make_function(target: Target, student: Student) -> FunctionType:
    def function(*args: Any, **kwargs: Any) -> Any:
        return student.call(target, args, kwargs)

    assert isinstance(function, FunctionType)
    function.__name__ = target.name
    function.__qualname__ = f"{target.class_name}.{target.name}" if target.class_name else target.name
    function.__module__ = target.module
    student.functions[target] = function
    return function
