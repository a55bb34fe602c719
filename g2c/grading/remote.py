"""Calls the student's code, which runs in a separate process, and gives the tests proxies for it.

A call that takes too much time or memory, or ends its process, fails as it does in the student's own test run, and the
next call gets a new process. A proxy class has the exercise file's given code, as the course hands it out, and calls
the student's code for the methods that students write. Messages carry only what has changed since both sides had the
same (protocol.py).
"""

import errno
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from itertools import count
from typing import Any, NoReturn

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Exercise, Module
from g2c.course.testing.limits import EndedProcess, Limits, OverLimit
from g2c.grading import protocol
from g2c.grading.processes import MEGABYTE, MachineFault
from g2c.grading.protocol import CALL, LENT_CALL, NotDefined, Origin, Target
from g2c.grading.records import add_note
from g2c.grading.student_process import NoAnswer, StudentProcess
from g2c.grading.wall import SandboxSettings

LIMITS = Limits(seconds_again=0.15)
AFTER_A_FAILURE = 1.0
"""Seconds for a function whose last call did not return."""
IMPORTING = Limits(seconds=8.0)
UNFINISHED = "does not finish when it is imported"
MAX_FAILURES = 12
"""A function is not called again after so many calls in a row that did not return."""
MAX_LINE = 1_000_000


class Student:
    """Calls one student's code. `close` ends the student's process."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.process: StudentProcess | None = None
        self.classes: dict[str, type] = {}
        """The given code's classes, and proxies for the student's, by name."""
        self.notes: list[str] = []
        self.on_note: Callable[[str, bool], None] = lambda sentence, forgiven: None
        """Called with each new note, and whether it says that a fault was forgiven. A run may be ended at any time."""
        self.import_errors: dict[str, tuple[str, Origin]] = {}
        self.lent: dict[Target, Student] = {}
        """Function -> the answer key that is called in its place."""
        self._failures: defaultdict[Target, list[str]] = defaultdict(list)
        """Function -> how each of its last calls, if they did not return, ended the process; "" for a limit."""
        self.used = 0.0
        """Seconds that the calls of the running test took, as a `Guard` counts them: waiting counts less."""

    def forget(self) -> None:
        """End the process, and forget what went wrong so far."""
        self.close()
        for remembered in (self._failures, self.import_errors, self.notes):
            remembered.clear()

    def start(self) -> StudentProcess:
        """Return the process, and start it unless it runs."""
        self.process = self.process or StudentProcess(replace(self.settings, lent=tuple(self.lent)))
        return self.process

    def close(self) -> None:
        """End the process. The next call starts another one."""
        if self.process:
            self.process.stop()
        self.process = None

    def note(self, sentence: str, *, forgiven: bool = False) -> None:
        if add_note(self.notes, sentence):
            self.on_note(self.notes[-1], forgiven)

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, target: Target, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the student's function, or the method of a proxy, `owner`.

        Raises what the student's code raised; EndedProcess if it ended the process; OverLimit if this call, or all
        calls of this test together, exceeded a limit.
        """
        if key := self.lent.get(target):
            key.used = 0.0  # Its time, which is long on a busy machine, is not the student's.
            return key.call(target, owner, args, kwargs)
        name, failures = target.name, self._failures[target]
        if len(failures) >= MAX_FAILURES:
            did_not_return(target, failures[-1], LIMITS.seconds)
        left = LIMITS.seconds - self.used
        if left <= 0:
            raise OverLimit(name, None, self.used, returns=True)
        if problem := self.problem_of_import(target.module):
            raise_at(ImportError(problem[0]), problem[1])
        limits = replace(LIMITS, seconds=min(left, AFTER_A_FAILURE) if failures else left)
        try:
            result, error, origin = self._exchange(target, owner, args, kwargs, limits)
        except NoAnswer as failure:
            why = str(failure)
            failures.append(why)
            if not why:
                self.used += limits.seconds
            self.note(f"{name} {why or 'did not return, so its process was ended'}.")
            did_not_return(target, why, limits.seconds)
        except OverLimit as over:
            if not over.returns:
                failures.append("")
            raise
        failures.clear()
        if error is not None:
            raise_at(error, origin or Origin.of(target))
        return result

    def problem_of_import(self, module: str) -> tuple[str, Origin] | None:
        """Say why and where a module cannot be imported; None if it can. One that fails is not tried again."""
        if module in self.import_errors or module in self.start().imported:
            return self.import_errors.get(module)
        target, origin = Target(module, None, ""), None
        try:
            left_out, error, origin = self._exchange(target, None, (), {}, IMPORTING)
            if error is None:
                self.start().imported.add(module)
                for place, sentence in enumerate(left_out if isinstance(left_out, list) else ()):
                    self.note(f"{target.file}, {sentence}.", forgiven=place == 0)
                return None
            where = f", line {origin.line}" if origin else ""
            problem = f"cannot be imported{where}: {type(error).__name__}: {error}".removesuffix(": ")
        except NoAnswer as failure:
            problem = f"cannot be imported: it {failure}" if str(failure) else UNFINISHED
        except OverLimit:
            problem = UNFINISHED
        self.note(f"{target.file} {problem.rstrip('.')}.")
        self.import_errors[module] = f"{target.file} {problem}", origin or Origin.of(target)
        return self.import_errors[module]

    def _exchange(
        self, target: Target, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], limits: Limits
    ) -> tuple[Any, Exception | None, Origin | None]:
        """Make one exchange with the process, and repeat here what the call changed in proxies and arguments."""
        process, passed = self.start(), [owner, *args, *kwargs.values()]
        process.shared.objects.clear()
        request = protocol.request(process.shared, (target.module, target.name, owner, args, kwargs))
        process.shared.add_arguments(CALL, passed[1:])
        try:
            answer = process.exchange(request, limits, self.classes, self._reply)
        except (NoAnswer, MachineFault):
            self.process = None
            raise
        finally:
            if target.name:
                self.used += process.spent
        try:
            process.shared.apply(answer.get("changes", {}))
            return self._read(answer, target, passed)
        except Exception:
            self.close()
            raise NoAnswer("was stopped: its answer cannot be read") from None

    def _reply(self, call: dict[str, Any]) -> bytes:
        """Make a call of a lent function, and return the reply, with an error's class and text alone.

        Raises an error of any kind where the message is no such call.
        """
        shared = self.start().shared
        shared.apply(call["changes"])
        target, args, kwargs = Target(*call["call"]), tuple(call["args"]), call["kwargs"]
        if target not in self.lent:
            raise KeyError(target)
        owner = None if call["owner"] is None else shared.objects[call["owner"]]
        shared.add_arguments(LENT_CALL, [*args, *kwargs.values()])
        result, error = None, None
        try:
            result = self.call(target, owner, args, kwargs)
        except OverLimit:
            error = EndedProcess.__name__, RuntimeError.__name__, f"{target.name} did not return in time"
        except Exception as raised:
            error = type(raised).__name__, protocol.shared_base(raised), str(raised)
        return protocol.request(shared, (result, error, shared.changes()))

    def _read(
        self, answer: dict[str, Any], target: Target, passed: list[Any]
    ) -> tuple[Any, Exception | None, Origin | None]:
        """Read an answer. An error other than OverLimit says that the sandbox has not written it."""
        origin = None
        if answer.get("origin"):
            place, file, line = answer["origin"]
            # A report could show lines of files that no student may see, so the file must be beside the exercises.
            if os.path.dirname(file) in map(os.path.dirname, self.settings.exercise_files):
                origin = Origin(str(place), file, min(max(int(line), 1), MAX_LINE))
        if "over" in answer:
            function, seconds, megabytes, returns = answer["over"]
            where = (str(REPOSITORY / origin.file), origin.line) if origin else None
            name = str(function or target.name)
            raise OverLimit(name, where, float(seconds), megabytes=int(megabytes), returns=bool(returns))
        if "error" in answer:
            return None, self._error(target, *map(str, answer["error"])), origin
        return passed[answer["argument"]] if "argument" in answer else answer["result"], None, None

    def _error(self, target: Target, kind: str, base: str, text: str, name: str) -> Exception:
        if kind == NotDefined.__name__:
            self.note(f"The code does not define {text}.")
        elif base == OSError.__name__ and shutil.disk_usage(self.settings.scratch).free < MEGABYTE:
            raise MachineFault(errno.ENOSPC)
        elif kind == ModuleNotFoundError.__name__ and name.startswith("g2c."):
            self.note(f"The code imports {name}, which is not there when a submission is graded.")
        return protocol.make_error(kind, base, text.replace(f"{self.settings.course}{os.sep}", ""))


def did_not_return(target: Target, why: str, seconds: float) -> NoReturn:
    """Raise the error for a call that did not return: it ended its process, or took too long if `why` is ""."""
    if why:
        raise_at(EndedProcess(f"{target.name} {why}"), Origin.of(target))
    raise OverLimit(target.name, None, seconds) from None


def raise_at(error: Exception, origin: Origin) -> NoReturn:
    """Raise an error with a traceback that ends in the student's file, where reports look for the place."""
    source = "\n" * (origin.line - 1) + "raise error from None"
    code = compile(source, str(REPOSITORY / origin.file), "exec").replace(co_name=origin.function)
    exec(code, {"error": error})
    raise AssertionError("unreachable")


def lend(key: Student, student: Student, module: Module, exercises: Iterable[Exercise]) -> None:
    """Have the answer key's functions for some exercises called in place of the student's, with the object's state.

    They run in the key's process, so the student's never contains text, bytecode or objects of their code.
    """
    key.classes = student.classes
    student.lent = {Target(module.import_name, each.class_name, each.name): key for each in exercises}


# --- proxies ----------------------------------------------------------------------------------------------------------


_numbers = count(1)


def make_proxies(module: Module, student: Student) -> dict[str, Any]:
    """Return, for each public name of a module, the class or function that calls the student's."""
    given = import_module(module.import_name)
    proxies: dict[str, Any] = {}
    classes = (each for each in vars(given).values() if isinstance(each, type) and protocol.is_course_class(each))
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
        proxy._shared_number, proxy._made_with = next(_numbers), None
        return proxy

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        initialize(self, *args, **kwargs)
        self._made_with = (args, kwargs)

    members: dict[str, Any] = {"__new__": __new__, "__init__": __init__, "__doc__": original.__doc__}
    members |= {"__module__": original.__module__, "_place": (module.import_name, name)}
    for exercise in module.exercises:
        if exercise.class_name == name:
            members[exercise.name] = _make_function(Target(module.import_name, name, exercise.name), student)
    if len(bases) == 1:
        # So these are not among the attributes, which are the object's state. Copies of a proxy share its number.
        members["__slots__"] = ("_shared_number", "_made_with")
    return type(name, bases, members)


def _make_function(target: Target, student: Student) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        owner, args = (args[0], args[1:]) if target.class_name else (None, args)
        return student.call(target, owner, args, kwargs)

    function.__name__ = target.name
    function.__qualname__ = f"{target.class_name}.{target.name}" if target.class_name else target.name
    function.__module__ = target.module
    return function
