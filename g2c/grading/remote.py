"""Calls from the test runner to the student's code, which runs in a separate process.

A call that takes too long, takes too much memory, or ends its process fails as it does in the student's own test run,
and the next call gets a new process.
"""

import builtins
import io
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

from g2c.common import errors
from g2c.common.paths import REPOSITORY
from g2c.course.limits import Limits, OverLimit
from g2c.grading.notebook_code import NotANotebook
from g2c.grading.policy import COURSE, SandboxSettings
from g2c.grading.protocol import NotDefined, update_in_place
from g2c.grading.proxies import RequestWriter, Target
from g2c.grading.student_process import NoAnswer, StudentProcess

LIMITS = Limits(seconds_again=0.15, clock_factor=2.5)
GRACE = 1.5
"""Seconds by the clock that an answer may be late after the limits in the sandbox should have ended the call."""
PROCESSOR_GRACE = 0.5
"""Seconds of processor time that a call may take beyond its limit: what it needs to read and write messages."""
SECONDS_AFTER_KILL = 0.5
"""Seconds by the clock for a function that has ended its process before."""
IMPORT_SECONDS = 30.0
"""Seconds by the clock in which a file is imported, however busy the machine is."""
MAX_ENDS = 4
"""How often a function may end its process before it is not called again."""
MAX_HITS = 12
"""How often in a row a function may hit its limit before it is not called again."""
MAX_NOTES = 20
MAX_NOTE = 300
MAX_PRINTED = 2000
MAX_NAME = 100
"""Characters in the name of an error's class."""
MAX_LINE = 1_000_000


class Student:
    """One student's code. Use as a context manager; at the end every process that belongs to it is ended.

    Args:
        settings: what the student's code may use.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.process = StudentProcess(settings)
        self.classes: dict[str, type] = {}
        """Name -> class, for the classes of the given code and the proxies of the student's."""
        self.notebooks: dict[str, str] = {}
        """File with the code of a notebook -> the notebook's name, which sentences give instead."""
        self.notes: list[str] = []
        """What the instructor and the student should know, a sentence each."""
        self.on_note: Callable[[str], None] = lambda sentence: None
        """Called with each new note, at once: a run may be ended at any time."""
        self.printed: tuple[int, str] = (0, "")
        """How many characters the code has printed, and the first of them."""
        self._imported: set[str] = set()
        """Exercise files that the running process has imported."""
        self.import_errors: dict[str, tuple[Exception, Origin]] = {}
        """Exercise file -> why and where it cannot be imported; it is not tried again."""
        self._ends: Counter[Target] = Counter()
        """Function -> how often its process had to be ended, or ended itself."""
        self._hits: Counter[Target] = Counter()
        """Function -> how often in a row it has hit a limit."""
        self._first_hit: dict[Target, float] = {}
        """Function -> the seconds that it had when it first hit a limit."""
        self.begin_test()

    def __enter__(self) -> "Student":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stop()

    def begin_test(self, hidden: bool = False) -> None:
        """Give the next test the full time, whatever the tests before it took.

        Args:
            hidden: students shall not learn what it does, so from now on what the code prints is not kept.
        """
        self.process.processor_used = self.process.clock_used = 0.0
        self.in_hidden_test = hidden

    def start_afresh(self) -> None:
        """End the process, and forget what was noted and what went wrong so far."""
        self._restart()
        self.notes.clear()
        self.import_errors.clear()

    def use_key(self, code: str) -> None:
        """From now on, have the answer key's code in the place of the student's, and forget what went wrong so far.

        Args:
            code: see `g2c.grading.constants.key_code`.
        """
        self._restart()
        self.process.settings = replace(self.settings, key_code=code)

    def _restart(self) -> None:
        self.process.stop()
        for known in (self._ends, self._hits, self._first_hit):
            known.clear()

    def note(self, sentence: str) -> None:
        if sentence not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append(sentence[:MAX_NOTE])
            self.on_note(sentence[:MAX_NOTE])

    def start(self) -> None:
        """Start the process, and wait until it is ready.

        Raises:
            NoAnswer: it does not start.
        """
        self.process.start()
        self._send(Target("builtins", None, ""), None, (), {}, LIMITS.seconds, IMPORT_SECONDS)

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, target: Target, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the student's function.

        Args:
            owner: the proxy whose method is called; None for a function.

        Raises:
            Exception: what the student's code raised.
            OverLimit: the call, or all calls of this test together, exceeded a limit.
        """
        name = target.name
        if self._hits[target] >= MAX_HITS:
            raise OverLimit(name, None, self._first_hit[target])
        if self._ends[target] >= MAX_ENDS:
            _raise_in(target, f"{name} ended its process {MAX_ENDS} times and is not called again")
        processor = LIMITS.seconds - self.process.processor_used
        clock = min(LIMITS.clock(LIMITS.seconds) - self.process.clock_used, LIMITS.clock(max(processor, 0)))
        if processor <= 0 or clock <= 0:
            raise OverLimit(name, None, self.process.clock_used, returns=True)
        if self._ends[target]:
            clock = SECONDS_AFTER_KILL
        try:
            self._import(target)
            return self._send(target, owner, args, kwargs, processor, clock + GRACE)
        except NoAnswer as failure:
            self._ends[target] += 1
            if failure.why:
                self.note(f"{name} {failure.why}.")
                _raise_in(target, f"{name} {failure.why}")
            self.note(f"{name} did not return, so its process was ended.")
            raise OverLimit(name, None, failure.seconds) from None

    def _import(self, target: Target) -> None:
        """Have the exercise file imported, or raise the reason why it cannot be imported."""
        if not self.process.is_running:
            self._imported.clear()
        if target.module not in self._imported and target.module not in self.import_errors:
            if not self.process.is_running:
                self.process.start()
            self._try_import(Target(target.module, None, ""))
        if target.module in self.import_errors:
            problem, origin = self.import_errors[target.module]
            raise_at(type(problem)(*problem.args), origin)

    def _try_import(self, target: Target) -> None:
        problem, origin = None, Origin("<module>", target.file, 1)
        file = self.notebooks.get(target.file, target.file)
        endless = f"{file} does not finish when it is imported"
        try:
            self._send(target, None, (), {}, LIMITS.seconds, IMPORT_SECONDS)
        except NoAnswer as failure:
            problem = ImportError(f"{file} cannot be imported: it {failure.why}" if failure.why else endless)
        except OverLimit:
            problem = ImportError(endless)
        except ImportError as error:
            frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
            problem, origin = error, Origin(frame.f_code.co_name, target.file, line)
        except Exception as error:
            problem = ImportError(f"{file} cannot be imported: {error}")
        if problem is None:
            self._imported.add(target.module)
        else:
            self.import_errors[target.module] = problem, origin
            self.note(f"{str(problem).rstrip('.')}.")

    def _send(
        self,
        target: Target,
        owner: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        processor: float,
        clock: float,
    ) -> Any:
        """Make one exchange with the process, and return or raise what came of the call."""
        stream = io.BytesIO()
        limits = {"seconds": processor, "seconds_again": LIMITS.seconds_again, "clock_factor": LIMITS.clock_factor}
        writer = RequestWriter(stream, self.process.generation)
        writer.dump((*target, owner, args, kwargs, limits))
        answer = self.process.exchange(stream.getvalue(), clock, self.classes)
        used = self.process.processor_used
        if target.name and "over" not in answer and used > LIMITS.seconds + PROCESSOR_GRACE:
            # The code has switched off the limits of its own process.
            answer = {"over": [target.name, None, used, 0, False]}
        try:
            result, error, origin = self._read(answer, target, owner, [*args, *kwargs.values()], writer.proxies)
        except Exception:
            self.process.stop()
            self._ends[target] += 1
            problem = f"what {target.name or target.file} returned cannot be read"
            self.note(f"{problem[0].upper()}{problem[1:]}.")
            _raise_in(target, problem)
        if error is None:
            self._hits.pop(target, None)
            return result
        if isinstance(error, OverLimit):
            if not error.returns:
                self._hits[target] += 1
                self._first_hit.setdefault(target, error.seconds)
            raise error
        raise_at(error, origin or Origin(target.name or "<module>", target.file, 1))

    # --- answers ------------------------------------------------------------------------------------------------------

    def _read(
        self, answer: dict[str, Any], target: Target, owner: Any, arguments: list[Any], proxies: dict[int, Any]
    ) -> "tuple[Any, Exception | OverLimit | None, Origin | None]":
        """Bring proxies and arguments to the state that the call left.

        Returns:
            the result, or the error that came of it and its origin.

        Raises:
            Exception: of any kind, when the answer is not one that the sandbox writes.
        """
        characters, beginning = answer.get("printed", (0, ""))
        if not self.in_hidden_test:
            self.printed = max(int(characters), 0), str(beginning)[:MAX_PRINTED]
        for number, changes in answer.get("states", ()):
            if number in proxies:
                attributes = proxies[number]._remote.attributes
                known = {name: value for name, value in changes.items() if name in attributes.known}
                attributes.apply(proxies[number], known)
        for position, value in answer.get("arguments", ()):
            update_in_place(arguments[position], value)
        if "over" in answer:
            function, place, seconds, megabytes, returns = answer["over"]
            origin = Origin.from_answer(place)
            where = (str(REPOSITORY / origin.file), origin.line) if origin else None
            name = str(function or target.name)
            over = OverLimit(name, where, float(seconds), megabytes=int(megabytes), returns=bool(returns))
            return None, over, origin
        if "error" in answer:
            return None, *self._error_from(answer["error"], is_notebook=target.file in self.notebooks)
        if "argument" in answer:
            return [owner, *arguments][answer["argument"]], None, None
        return answer["result"], None, None

    def _error_from(self, fields: dict[str, Any], *, is_notebook: bool) -> "tuple[Exception, Origin | None]":
        kinds, text = [str(kind)[:MAX_NAME] for kind in fields["kinds"]], str(fields["text"])
        name, origin = str(fields["name"]), Origin.from_answer(fields["origin"])
        if kinds[0] == NotDefined.__name__:
            self.note(f"The code does not define {name}.")
        elif kinds[0] == ModuleNotFoundError.__name__ and name.startswith(f"{COURSE}.") and not is_notebook:
            self.note(f"The code imports {name}, which is not there when a submission is graded.")
        if not fields["import"]:
            return make_error(kinds, text, name), origin
        file = str(fields["import"])
        # The lines of a notebook's code are not those of its cells.
        where = f", line {origin.line}" if origin and file not in self.notebooks else ""
        says_why = kinds[0] == NotANotebook.__name__
        reason = text if says_why else f"{kinds[0]}: {text}" if text else kinds[0]
        shown = self.notebooks.get(file, file)
        return ImportError(f"{shown} cannot be imported{where}: {reason}"), origin or Origin("<module>", file, 1)


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


def _raise_in(target: Target, problem: str) -> NoReturn:
    """Raise a RuntimeError whose place in the student's file is not known."""
    raise_at(RuntimeError(problem), Origin(target.name or "<module>", target.file, 1))
