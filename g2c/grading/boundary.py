"""Gives the tests proxies for a student's classes and functions, and makes their calls in the pupil's process.

A proxy class is the exercise file's given class, as the course hands it out, in which each method that students write
sends its arguments and its object to the pupil's process. So given code, such as `train`, runs here, and each call of
`train_step` crosses. The other way, with the given code beside the student's, would cross less often, but a student
could change it there: then tests would see a `train` that was never handed out, and marks would depend on whose it is.
Here a test sees the student's answers and otherwise only code of the course.

Nothing is shared. A request has all that a call needs, and its answer all that the call has changed; `update` repeats
this here. A process that ends, or is ended because it exceeds a limit, fails its call, and the next call has a new one.
"""

import io
import os
import pickle
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import psutil

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules
from g2c.course.testing.limits import EndedProcess, Limits, OverLimit
from g2c.course.testing.report import Place
from g2c.grading import pupil, values
from g2c.grading.folders import importable_packages
from g2c.grading.pupil import IMPORT, NotDefined
from g2c.grading.records import add_note
from g2c.grading.wall import Wall

LIMITS = Limits()
AFTER_A_FAILURE = 1.0
"""Seconds for a function whose last call did not return."""
IMPORTING = 8.0
UNFINISHED = "does not finish when it is imported"
MAX_FAILURES = 12
"""A function is not called again after so many calls in a row that did not return."""
MAX_LINE = 1_000_000
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
from g2c.grading.pupil import main
main({descriptor}, {course!r}, {files!r})
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

    def place(self) -> Place:
        """Return the place for a function whose line is not known."""
        return Place(self.name or "<module>", self.file, 1)


class NoAnswer(Exception):
    """Says that a process has ended without an answer, as a clause without its subject; "" for a time limit."""


# --- the process ------------------------------------------------------------------------------------------------------


class PupilProcess:
    """Runs the code in one copy of the course, behind a wall."""

    def __init__(self, course: Path, wall: Wall) -> None:
        self.imported: set[str] = set()
        self._connection, theirs = Pipe()
        files = tuple(module.exercise_path for module in modules().values())
        code = _START.format(course=str(course), descriptor=theirs.fileno(), files=files)
        with theirs:
            self._process = subprocess.Popen(
                wall.command([sys.executable, "-I", "-B", "-c", code], course),
                **wall.options(course),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        with suppress(EOFError, OSError):
            if self._connection.recv_bytes() == b"ready":
                return
        os._exit(NOT_STARTED)

    def exchange(self, request: bytes, seconds: float, classes: values.Classes) -> dict[str, Any]:
        """Send a request and receive its answer.

        Raises NoAnswer: the process ended, or was ended here for its time, or because its answer cannot be read.
        """
        try:
            self._connection.send(seconds)
            self._connection.send_bytes(request)
            if not self._answers_within(seconds + GRACE):
                self.stop()
                raise NoAnswer("")
            message = self._connection.recv_bytes(values.MAX_BYTES)
        except (EOFError, OSError):
            raise NoAnswer(f"ended its process (exit code {self.stop()})") from None
        try:
            answer = values.unpack(message, classes)
            if isinstance(answer, dict):
                return answer
        except Exception:  # The code has written to the connection.
            pass
        self.stop()
        raise NoAnswer("was stopped: its answer cannot be read")

    def _answers_within(self, seconds: float) -> bool:
        """Wait for an answer. The process may use so much processor time, and wait longer by LIMITS.clock_factor; a
        busy machine costs it nothing."""
        if self._connection.poll(LOOKS):
            return True
        used, waited = self._processor_seconds(), 0.0
        while not self._connection.poll(LOOKS):
            waited += 0.0 if self._is_running() else LOOKS
            if self._processor_seconds() - used > seconds or waited > seconds * LIMITS.clock_factor:
                return False
        return True

    def _members(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            return [process, *process.children(recursive=True)]
        return []

    def _processor_seconds(self) -> float:
        total = 0.0
        for member in self._members():
            with suppress(psutil.Error):
                total += sum(member.cpu_times()[:2])
        return total

    def _is_running(self) -> bool:
        with suppress(psutil.Error):
            return any(member.status() == psutil.STATUS_RUNNING for member in self._members())
        return False

    def stop(self) -> int:
        """End the process and those that it has started, and return its exit code."""
        self._connection.close()
        with suppress(subprocess.TimeoutExpired):
            # If it is about to end by itself, its own exit code says more.
            self._process.wait(timeout=0.2)
        end_processes(self._process.pid)
        return self._process.wait()


def end_processes(process_id: int) -> None:
    """Kill a process and all its descendants that can be found."""
    with suppress(psutil.Error):
        process = psutil.Process(process_id)
        for member in [*process.children(recursive=True), process]:
            with suppress(psutil.Error):
                member.kill()


# --- calls ------------------------------------------------------------------------------------------------------------


class Student:
    """Calls one student's code. `close` ends the pupil's process."""

    def __init__(self, course: Path, wall: Wall) -> None:
        self.course, self.wall = course, wall
        self.process: PupilProcess | None = None
        self.classes: dict[str, type] = {}
        """The given code's classes, and proxies for the student's, by name."""
        self.notes: list[str] = []
        self.on_note: Callable[[str, bool], None] = lambda sentence, forgiven: None
        """Called with each new note, and whether it says that a fault was forgiven. A run may be ended at any time."""
        self.import_errors: dict[str, tuple[str, Place]] = {}
        self._failures: defaultdict[Target, list[str]] = defaultdict(list)
        """Function -> how each of its last calls, if they did not return, ended the process; "" for a limit."""
        self.used = 0.0
        """Seconds of processor time that the calls of the running test took."""

    def forget(self) -> None:
        """End the process, and forget what went wrong so far."""
        self.close()
        for remembered in (self._failures, self.import_errors, self.notes):
            remembered.clear()

    def close(self) -> None:
        """End the process. The next call starts another one."""
        if self.process:
            self.process.stop()
        self.process = None

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
        if problem := self.problem_of_import(target.module):
            raise_at(ImportError(problem[0]), problem[1])
        seconds = min(left, AFTER_A_FAILURE) if failures else left
        try:
            answer = self._exchange(target, args, kwargs, seconds)
            if "over" in answer:
                _raise_over(answer["over"], self._place(answer), target)
        except NoAnswer as failure:
            failures.append(str(failure))
            self.note(f"{target.name} {str(failure) or 'did not return, so its process was ended'}.")
            did_not_return(target, str(failure), seconds)
        except OverLimit as over:
            failures.extend([] if over.returns else [""])
            raise
        failures.clear()
        if "error" in answer:
            raise_at(self._error(target, *map(str, answer["error"])), self._place(answer) or target.place())
        return [*args, *kwargs.values()][answer["argument"]] if "argument" in answer else answer["result"]

    def problem_of_import(self, module: str) -> tuple[str, Place] | None:
        """Say why and where a module cannot be imported; None if it can. One that fails is not tried again."""
        if module in self.import_errors or self.process and module in self.process.imported:
            return self.import_errors.get(module)
        target, place = Target(module, None, IMPORT), None
        try:
            answer = self._exchange(target, (), {}, IMPORTING)
            if "result" in answer:
                assert self.process
                self.process.imported.add(module)
                for number, sentence in enumerate(answer["result"]):
                    self.note(f"{target.file}, {sentence}.", forgiven=number == 0)
                return None
            problem, place = UNFINISHED, self._place(answer)
            if "error" in answer:
                error = self._error(target, *map(str, answer["error"]))
                where = f", line {place.line}" if place else ""
                problem = f"cannot be imported{where}: {type(error).__name__}: {error}".removesuffix(": ")
        except NoAnswer as failure:
            problem = f"cannot be imported: it {failure}" if str(failure) else UNFINISHED
        self.note(f"{target.file} {problem.rstrip('.')}.")
        self.import_errors[module] = f"{target.file} {problem}", place or target.place()
        return self.import_errors[module]

    def _exchange(
        self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float
    ) -> dict[str, Any]:
        """Make one exchange with the process, and repeat here what the call changed in its arguments."""
        request = _request((target.module, target.class_name is not None, target.name, args, kwargs))
        self.process = process = self.process or PupilProcess(self.course, self.wall)
        passed = [*args, *kwargs.values()]
        try:
            answer = process.exchange(request, seconds, self.classes)
        except NoAnswer as failure:
            self.process = None
            self.used += 0.0 if str(failure) or target.name == IMPORT else seconds
            raise
        try:
            _check(answer, len(passed))
            for place, value in answer.get("changed", {}).items():
                update(passed[place], value)
        except Exception:
            self.close()
            raise NoAnswer("was stopped: its answer cannot be read") from None
        self.used += answer["seconds"] if target.name != IMPORT else 0.0
        return answer

    def _place(self, answer: dict[str, Any]) -> Place | None:
        """Return where an error comes from. A report could show lines of files that no student may see, so the file
        must be beside the exercises."""
        function, file, line = answer.get("origin") or ("", "", 1)
        folders = {os.path.dirname(module.exercise_path) for module in modules().values()}
        known = os.path.dirname(file) in folders and os.path.normpath(file) == file
        return Place(function, file, min(max(line, 1), MAX_LINE)) if known else None

    def _error(self, target: Target, kind: str, base: str, text: str, name: str) -> Exception:
        if kind == NotDefined.__name__:
            self.note(f"The code does not define {text}.")
        elif kind == ModuleNotFoundError.__name__ and name.startswith("g2c."):
            self.note(f"The code imports {name}, which is not there when a submission is graded.")
        return values.make_error(kind, base, text.replace(f"{self.course}{os.sep}", ""))


def _check(answer: dict[str, Any], arguments: int) -> None:
    """Raise an error of any kind if the fields of an answer are not those that `Pupil` writes."""
    (kind,) = {"result", "argument", "error", "over"} & answer.keys()
    places = [*answer.get("changed", {}), *([answer["argument"]] if kind == "argument" else [])]
    numbers = [answer.setdefault("seconds", 0.0)]
    texts: list[Any] = []
    if kind == "error":
        texts = [one for one, _ in zip(answer["error"], range(4), strict=True)]
    elif kind == "over":
        function, *numbers[1:], _ = [one for one, _ in zip(answer["over"], range(4), strict=True)]
        texts = [function or ""]
    if origin := answer.get("origin"):
        function, file, line = origin
        texts += [function, file]
        numbers.append(line)
    right = all(type(place) is int and 0 <= place < arguments for place in places)
    right = right and all(type(number) in (int, float) and 0 <= number < 1e9 for number in numbers)
    if not (right and all(type(text) is str for text in texts)):
        raise ValueError("not an answer")


def _raise_over(limit: list[Any], place: Place | None, target: Target) -> NoReturn:
    function, seconds, megabytes, returns = limit
    where = (str(REPOSITORY / place.file), place.line) if place else None
    raise OverLimit(function or target.name, where, seconds, megabytes=int(megabytes), returns=bool(returns))


def did_not_return(target: Target, why: str, seconds: float) -> NoReturn:
    """Raise the error for a call that did not return: it ended its process, or took too long if `why` is ""."""
    if why:
        raise_at(EndedProcess(f"{target.name} {why}"), target.place())
    raise OverLimit(target.name, None, seconds) from None


def raise_at(error: Exception, place: Place) -> NoReturn:
    """Raise an error with a traceback that ends in the student's file, where reports look for the place."""
    source = "\n" * (place.line - 1) + "raise error from None"
    code = compile(source, str(REPOSITORY / place.file), "exec").replace(co_name=place.function)
    exec(code, {"error": error})
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
            live._own, live._made_with = new._own, None
    else:
        return False
    return True


# --- requests and proxies ---------------------------------------------------------------------------------------------


class _RequestWriter(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """Have the other side make the student's class or object for a proxy."""
        kind = type(value)
        place = getattr(value if kind is type else kind, "_place", None)
        if place is None:
            return NotImplemented
        return pupil.of_student, place if kind is type else (*place, _state(value), value._own, value._made_with)


def _state(proxy: Any) -> dict[str, Any]:
    """Return an object's attributes, with those that it makes when they are asked for, and without objects of packages
    that the other side lacks."""
    names = {**vars(proxy), **dict.fromkeys(type(proxy)._names)}
    state = {name: getattr(proxy, name) for name in names if hasattr(proxy, name)}
    lacking = [name for name, value in state.items() if values.is_course_class(type(value))]
    packages = tuple(f"{package}." for package in importable_packages())
    for name in lacking:
        if not f"{type(state[name]).__module__}.".startswith(packages):
            del state[name]
    return state


def _request(content: Any) -> bytes:
    stream = io.BytesIO()
    _RequestWriter(stream).dump(content)
    return stream.getvalue()


def make_proxies(module: Module, student: Student) -> dict[str, Any]:
    """Return, for each public name of a module, the class or function that calls the student's."""
    given = import_module(module.import_name)
    proxies: dict[str, Any] = {}
    classes = (each for each in vars(given).values() if isinstance(each, type) and values.is_course_class(each))
    student.classes.update({each.__name__: each for each in classes})
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
        proxy._own, proxy._made_with = b"", None
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
        # it, and the arguments of its constructor until that code has seen it.
        members["__slots__"] = ("_own", "_made_with")
    return type(name, bases, members)


def _make_function(target: Target, student: Student) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return student.call(target, args, kwargs)

    function.__name__ = target.name
    function.__qualname__ = f"{target.class_name}.{target.name}" if target.class_name else target.name
    function.__module__ = target.module
    return function
