"""Calls from the test runner to the student's code, which runs in a separate process.

A call that takes too long, takes too much memory, or ends its process fails as it does in the student's own test run,
and the next call gets a new process.
"""

import builtins
import io
import os
import pickle
import time
import traceback
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn

from g2c.common import errors
from g2c.common.paths import REPOSITORY
from g2c.course.limits import EndedProcess, Limits, OverLimit
from g2c.grading.notebook_code import NotANotebook
from g2c.grading.protocol import NotDefined, RequestWriter, Target, update_in_place
from g2c.grading.student_process import NoAnswer, StudentProcess
from g2c.grading.wall import SandboxSettings

LIMITS = Limits(seconds_again=0.15)
GRACE = 1.5
"""Seconds by the clock that an answer may be late after the limits in the sandbox should have ended the call."""
PROCESSOR_GRACE = 0.5
"""Seconds of processor time that a call may take beyond its limit: what it needs to read and write messages."""
SECONDS_AFTER_KILL = 0.5
"""Seconds by the clock for a function that has ended its process before."""
IMPORTING = Limits(seconds=8.0)
IMPORT_SECONDS = 30.0
"""Seconds by the clock in which a file is imported, however busy the machine is."""
MAX_ENDS = 4
"""How often a function may end its process before it is not called again."""
MAX_HITS = 12
"""How often in a row a function may hit its limit before it is not called again."""
MAX_NOTES = 20
MAX_NOTE = 300
MAX_NAME = 100
"""Characters in the name of an error's class."""
MAX_LINE = 1_000_000


@dataclass
class _Trouble:
    """What went wrong with a function so far."""

    ends: int = 0
    """How often its process had to be ended, or ended itself."""
    hits: int = 0
    """How often in a row it has hit a limit."""


class Student:
    """One student's code. Use as a context manager; at the end its process is ended.

    Args:
        settings: what the student's code may use.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.process: StudentProcess | None = None
        """Started when it is needed."""
        self.classes: dict[str, type] = {}
        """Name -> class, for the classes of the given code and the proxies of the student's."""
        self.notebooks: dict[str, str] = {}
        """File with the code of a notebook -> the notebook's name, which sentences give instead."""
        self.notes: list[str] = []
        """What the instructor and the student should know, a sentence each."""
        self.on_note: Callable[[str], None] = lambda sentence: None
        """Called with each new note, at once: a run may be ended at any time."""
        self.import_errors: dict[str, tuple[str, Origin]] = {}
        """Exercise file -> why and where it cannot be imported; it is not tried again."""
        self._trouble: defaultdict[Target, _Trouble] = defaultdict(_Trouble)
        self.begin_test()

    def __enter__(self) -> "Student":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def begin_test(self) -> None:
        """Give the next test the full time, whatever the tests before it took."""
        self._used = 0.0
        """Seconds that its calls took, as a `Guard` counts them: waiting counts, too, but less."""

    def forget(self) -> None:
        """End the process, and forget what went wrong so far. What is noted has been passed on."""
        self.stop()
        self._trouble.clear()
        self.import_errors.clear()
        self.notes.clear()

    def start(self) -> StudentProcess:
        """The process, which is started unless it runs."""
        self.process = self.process or StudentProcess(self.settings)
        return self.process

    def stop(self) -> None:
        """End the process. The next call starts another one."""
        if self.process:
            self.process.stop()
        self.process = None

    def note(self, sentence: str) -> None:
        if sentence not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append(sentence[:MAX_NOTE])
            self.on_note(sentence[:MAX_NOTE])

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, target: Target, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the student's function.

        Args:
            owner: the proxy whose method is called; None for a function.

        Raises:
            Exception: what the student's code raised.
            EndedProcess: the call has ended the process.
            OverLimit: the call, or all calls of this test together, exceeded a limit.
        """
        name, trouble = target.name, self._trouble[target]
        if trouble.hits >= MAX_HITS:
            raise OverLimit(name, None, LIMITS.seconds)
        if trouble.ends >= MAX_ENDS:
            problem = f"{name} ended its process {MAX_ENDS} times and is not called again"
            raise_at(EndedProcess(problem), Origin.of(target))
        left = LIMITS.seconds - self._used
        if left <= 0:
            raise OverLimit(name, None, self._used, returns=True)
        self._import(target)
        clock = SECONDS_AFTER_KILL if trouble.ends else LIMITS.clock(left)
        try:
            result = self._send(target, owner, args, kwargs, replace(LIMITS, seconds=left), clock + GRACE)
        except NoAnswer as failure:
            trouble.ends += 1
            if failure.why:
                self.note(f"{name} {failure.why}.")
                raise_at(EndedProcess(f"{name} {failure.why}"), Origin.of(target))
            self.note(f"{name} did not return, so its process was ended.")
            raise OverLimit(name, None, failure.seconds) from None
        except OverLimit as over:
            trouble.hits += not over.returns
            raise
        trouble.hits = 0
        return result

    def _import(self, target: Target) -> None:
        """Have the exercise file imported, or raise the reason why it cannot be imported."""
        if target.module not in self.import_errors and target.module not in self.start().imported:
            if failed := self.try_import(target.module):
                self.import_errors[target.module] = failed
                self.note(f"{failed[0].rstrip('.')}.")
        if target.module in self.import_errors:
            problem, origin = self.import_errors[target.module]
            raise_at(ImportError(problem), origin)

    def try_import(self, module: str) -> "tuple[str, Origin] | None":
        """Have a module imported. Returns why and where that fails; None if it succeeds."""
        target = Target(module, None, "")
        file = self.notebooks.get(target.file, target.file)
        try:
            self._send(target, None, (), {}, IMPORTING, IMPORT_SECONDS)
        except ImportError as error:
            frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
            return str(error), Origin(frame.f_code.co_name, target.file, line)
        except (NoAnswer, OverLimit) as failure:
            why = getattr(failure, "why", "")
            problem = f"cannot be imported: it {why}" if why else "does not finish when it is imported"
            return f"{file} {problem}", Origin.of(target)
        self.start().imported.add(module)
        return None

    def _send(
        self,
        target: Target,
        owner: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        limits: Limits,
        clock: float,
    ) -> Any:
        """Make one exchange with the process, and return or raise what came of the call.

        Raises:
            NoAnswer: see `StudentProcess.exchange`.
        """
        process = self.start()
        stream = io.BytesIO()
        writer = RequestWriter(stream, process.known)
        writer.dump((target.module, target.name, owner, args, kwargs))
        began, used = time.monotonic(), process.processor_seconds
        try:
            answer = process.exchange(pickle.dumps((limits, stream.getvalue())), clock, self.classes)
        except NoAnswer:
            self.process = None
            raise
        finally:
            used = process.processor_seconds - used
            if target.name:
                self._used += max(used, (time.monotonic() - began) / limits.clock_factor)
        if "over" not in answer and used > limits.seconds + PROCESSOR_GRACE:
            # The code has switched off the limits of its own process.
            raise OverLimit(target.name, None, used)
        try:
            result, error, origin = self._read(answer, target, owner, [*args, *kwargs.values()], writer.proxies)
        except Exception:
            self.stop()
            raise NoAnswer("was stopped: its answer cannot be read", 0.0) from None
        if error is not None:
            raise_at(error, origin or Origin.of(target))
        return result

    # --- answers ------------------------------------------------------------------------------------------------------

    def _read(
        self, answer: dict[str, Any], target: Target, owner: Any, arguments: list[Any], proxies: dict[int, Any]
    ) -> "tuple[Any, Exception | None, Origin | None]":
        """Bring proxies and arguments to the state that the call left.

        Returns:
            the result, or the error that came of it and its origin.

        Raises:
            OverLimit: the call exceeded a limit.
            Exception: of any kind, when the answer is not one that the sandbox writes.
        """
        for number, changes in answer.get("states", ()):
            if number in proxies:
                attributes = self.start().known[number]
                known = {name: value for name, value in changes.items() if name in attributes.known}
                attributes.apply(proxies[number], known)
        for position, value in answer.get("arguments", ()):
            update_in_place(arguments[position], value)
        if "over" in answer:
            function, place, seconds, megabytes, returns = answer["over"]
            origin = Origin.from_answer(place)
            where = (str(REPOSITORY / origin.file), origin.line) if origin else None
            name = str(function or target.name)
            raise OverLimit(name, where, float(seconds), megabytes=int(megabytes), returns=bool(returns))
        if "error" in answer:
            return None, *self._error_from(answer["error"], target)
        if "argument" in answer:
            return [owner, *arguments][answer["argument"]], None, None
        return answer["result"], None, None

    def _error_from(self, fields: dict[str, Any], target: Target) -> "tuple[Exception, Origin | None]":
        kinds, name = [str(kind)[:MAX_NAME] for kind in fields["kinds"]], str(fields["name"])
        text = str(fields["text"]).replace(f"{self.settings.course}{os.sep}", "")
        notebook, origin = self.notebooks.get(target.file), Origin.from_answer(fields["origin"])
        if kinds[0] == NotDefined.__name__:
            self.note(f"The code does not define {name}.")
        elif kinds[0] == ModuleNotFoundError.__name__ and name.startswith("g2c.") and not notebook:
            self.note(f"The code imports {name}, which is not there when a submission is graded.")
        if target.name:
            return make_error(kinds, text, name), origin
        # The lines of a notebook's code are not those of its cells.
        where = f", line {origin.line}" if origin and not notebook else ""
        says_why = kinds[0] == NotANotebook.__name__
        reason = text if says_why else f"{kinds[0]}: {text}" if text else kinds[0]
        return ImportError(f"{notebook or target.file} cannot be imported{where}: {reason}"), origin


# --- errors of the student's code, raised again as if they came from the student's file -------------------------------

_ERRORS: dict[str, type[Exception]] = {
    name: kind
    for module in (errors, builtins)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not ExceptionGroup
}


class Origin(NamedTuple):
    """Where in the student's code something happened. `file` is relative to the course's folder."""

    function: str
    file: str
    line: int

    @classmethod
    def of(cls, target: Target) -> "Origin":
        """Where the place is not known."""
        return cls(target.name or "<module>", target.file, 1)

    @classmethod
    def from_answer(cls, fields: Any) -> "Origin | None":
        """The origin that an answer of the sandbox names, which may be anything."""
        if not fields:
            return None
        function, file, line = fields
        return cls(str(function), str(file), min(max(int(line), 1), MAX_LINE))


def make_error(kinds: list[str], text: str, name: str = "") -> Exception:
    """An error of the kind that was raised. One that would end the test runner comes as an Exception of its name.

    Args:
        kinds: the names of the error's class and of its base classes, most specific first.
        text: its `str`.
        name: for a NameError, the name that is not defined.
    """
    base = next((_ERRORS[kind] for kind in kinds if kind in _ERRORS), Exception)
    own_name = kinds[0] if kinds[0].isidentifier() else "Exception"
    # A new class: the constructors of some errors read memory at the place that their arguments give.
    members = {"__init__": lambda self, text: None, "__str__": lambda self: text}
    error: Exception = type(own_name, (base,), members)(text)
    if isinstance(error, NameError):
        error.name = name
    return error


def raise_at(error: Exception, origin: Origin) -> NoReturn:
    """Raise an error with a traceback that ends in the student's file, where reports look for the place."""
    source = "\n" * (origin.line - 1) + "raise error from None"
    code = compile(source, str(REPOSITORY / origin.file), "exec").replace(co_name=origin.function)
    exec(code, {"error": error})
    raise AssertionError("unreachable")
