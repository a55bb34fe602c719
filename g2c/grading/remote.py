"""Calls from the test runner to the student's code, which runs in a sandbox process.

The answers are plain data. A call that takes too long, takes too much memory, or ends its process fails as it does in
the student's own test run, and the next call gets a new process.
"""

import io
import pickle
from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

from g2c.course.limits import Limits, OverLimit
from g2c.grading import codec
from g2c.grading.policy import SandboxSettings
from g2c.grading.remote_errors import Origin, make_error, origin_of, over_limit, raise_at
from g2c.grading.sandbox_process import ProcessEnded, ProcessStopped, SandboxProcess
from g2c.grading.sources import TOO_COSTLY
from g2c.grading.state_sync import RequestWriter, apply_changes, update_in_place

LIMITS = Limits(seconds_again=0.15, clock_factor=2.5)
GRACE = 1.5
"""Seconds by the clock that an answer may be late after the limits in the sandbox should have ended the call."""
PROCESSOR_GRACE = 0.5
"""Seconds of processor time that a call may take beyond its limit: what it needs to read and write messages."""
SECONDS_AFTER_KILL = 0.5
"""Seconds by the clock for a function that has ended its process before."""
IMPORT_SECONDS = 30.0
READING_SECONDS = 60.0
"""Seconds by the clock in which a file is read, however busy the machine is."""
MAX_ENDS = 4
"""How often a function may end its process before it is not called again."""
MAX_HITS = 12
"""How often in a row a function may hit its limit before it is not called again."""
MAX_NOTES = 20
MAX_NOTE = 300
MAX_PRINTED = 2000
MAX_NAME = 100
"""Characters in the name of an error's class."""


class Target(NamedTuple):
    """What is called: a method of an exercise class, or a function."""

    module: str
    """The exercise file as Python imports it."""
    class_name: str | None
    name: str
    """Empty: nothing is called, the file is only imported."""

    @property
    def file(self) -> str:
        """The exercise file, relative to the course's folder."""
        return f"{self.module.replace('.', '/')}.py"

    @property
    def origin(self) -> Origin:
        """Where an error comes from when nothing more is known."""
        return Origin(self.name or "<module>", self.file, 1)


class Student:
    """One student's code. Use as a context manager; at the end every process that belongs to it is ended.

    Args:
        settings: what the student's code may use.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.process = SandboxProcess(settings, lambda action: self.note(f"The code {action}."))
        self.classes: dict[str, type] = {}
        """Name -> class, for the classes of the given code and the proxies of the student's."""
        self.notebooks: dict[str, str] = {}
        """File with the code of a notebook -> the notebook's name, which sentences give instead."""
        self.notes: list[str] = []
        """What the instructor and the student should know, a sentence each."""
        self.printed: tuple[int, str] = (0, "")
        """How many characters the code has printed, and the first of them."""
        self._imported: set[str] = set()
        """Exercise files that the running process has imported."""
        self._import_errors: dict[str, tuple[Exception, Origin]] = {}
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
        self.process.stop()
        for known in (self.notes, self._import_errors, self._ends, self._hits, self._first_hit):
            known.clear()

    def use_key(self, code: str) -> None:
        """From now on, have the answer key's code in the place of the student's, and forget what went wrong so far.

        Args:
            code: see `g2c.grading.constants.key_code`; "" for the student's alone.
        """
        self.process.stop()
        self.process.settings = replace(self.settings, key_code=code)
        for known in (self._ends, self._hits, self._first_hit):
            known.clear()

    def note(self, sentence: str) -> None:
        if sentence not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append(sentence[:MAX_NOTE])

    def read(self, file: str) -> dict[str, Any]:
        """What the source of a file says, or why it was not read; see g2c.grading.sources.

        Args:
            file: its path in the student's copy of the course.
        """
        if not self.process.is_running:
            self.process.start()
        try:
            answer = self.process.exchange(pickle.dumps(("read", file)), READING_SECONDS)
        except (ProcessStopped, ProcessEnded):
            answer = {"problem": TOO_COSTLY}
        if answer.get("problem") == TOO_COSTLY:
            # It is not tried for longer: Python would have to read it to import it.
            reason = ImportError(f"{file} cannot be imported: {TOO_COSTLY}")
            module = file.removesuffix(".py").replace("/", ".")
            self._import_errors[module] = reason, Origin("<module>", file, 1)
        return answer

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
            raise over_limit(name, None, self._first_hit[target])
        if self._ends[target] >= MAX_ENDS:
            raise_at(RuntimeError(f"{name} ended its process {MAX_ENDS} times and is not called again"), target.origin)
        processor = LIMITS.seconds - self.process.processor_used
        clock = min(LIMITS.clock(LIMITS.seconds) - self.process.clock_used, LIMITS.clock(max(processor, 0)))
        if processor <= 0 or clock <= 0:
            raise over_limit(name, None, self.process.clock_used, returns=True)
        if self._ends[target]:
            clock = SECONDS_AFTER_KILL
        try:
            self._import(target)
            return self._send(target, owner, args, kwargs, processor, clock + GRACE)
        except ProcessEnded as ended:
            self._ends[target] += 1
            self.note(f"{name} ended the process that it ran in (exit code {ended.exit_code}).")
            raise_at(RuntimeError(f"{name} ended its process (exit code {ended.exit_code})"), target.origin)
        except ProcessStopped as stopped:
            self._ends[target] += 1
            if stopped.why:
                self.note(f"{name} was stopped: {stopped.why}.")
                raise_at(RuntimeError(f"{name} was stopped: {stopped.why}"), target.origin)
            self.note(f"{name} did not return and could only be stopped together with its process.")
            raise over_limit(name, None, stopped.seconds) from None

    def _import(self, target: Target) -> None:
        """Have the exercise file imported, or raise the reason why it cannot be imported."""
        if not self.process.is_running:
            self._imported.clear()
        if target.module not in self._imported and target.module not in self._import_errors:
            if not self.process.is_running:
                self.process.start()
            self._try_import(Target(target.module, None, ""))
        if target.module in self._import_errors:
            problem, origin = self._import_errors[target.module]
            raise_at(type(problem)(*problem.args), origin)

    def _try_import(self, target: Target) -> None:
        problem, origin = None, target.origin
        file = self.notebooks.get(target.file, target.file)
        endless = f"{file} does not finish when it is imported"
        try:
            self._send(target, None, (), {}, LIMITS.seconds, IMPORT_SECONDS)
        except ProcessStopped as stopped:
            stop = f"{file} was stopped when it was imported: {stopped.why}"
            problem = ImportError(stop if stopped.why else endless)
        except ProcessEnded as ended:
            problem = ImportError(f"{file} ends the process when it is imported (exit code {ended.exit_code})")
        except OverLimit:
            problem = ImportError(endless)
        except ImportError as error:
            problem, origin = error, origin_of(error, target.file)
        except Exception as error:
            problem = ImportError(f"{file} cannot be imported: {error}")
        if problem is None:
            self._imported.add(target.module)
        else:
            self._import_errors[target.module] = problem, origin
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
        writer.dump(("call", *target, owner, args, kwargs, limits))
        answer = self.process.exchange(stream.getvalue(), clock)
        used = self.process.processor_used
        if target.name and "over" not in answer and used > LIMITS.seconds + PROCESSOR_GRACE:
            # The code has switched off the limits of its own process.
            answer = {"over": [target.name, None, used, 0, False]}
        try:
            return self._read(answer, target, owner, [*args, *kwargs.values()], writer.proxies)
        except _Unreadable:
            self.process.stop()
            self._ends[target] += 1
            problem = f"what {target.name or target.file} returned cannot be read"
            self.note(f"{problem[0].upper()}{problem[1:]}.")
            raise_at(RuntimeError(problem), target.origin)

    # --- answers ------------------------------------------------------------------------------------------------------

    def _read(
        self, answer: dict[str, Any], target: Target, owner: Any, arguments: list[Any], proxies: dict[int, Any]
    ) -> Any:
        """Bring proxies and arguments to the state that the call left; return or raise what came of it.

        Raises:
            _Unreadable: the answer is not one that the sandbox writes.
        """
        error: Exception | OverLimit | None = None
        origin = None
        result = None
        try:
            characters, beginning = answer.get("printed", (0, ""))
            if not self.in_hidden_test:
                self.printed = max(int(characters), 0), str(beginning)[:MAX_PRINTED]
            for number, changes in answer.get("states", ()):
                if number in proxies:
                    apply_changes(proxies[number], {name: self._decode(value) for name, value in changes.items()})
            for position, encoded in answer.get("arguments", ()):
                update_in_place(arguments[position], self._decode(encoded))
            if "over" in answer:
                error = _over_from(answer["over"], target)
            elif "error" in answer:
                error, origin = self._error_from(answer["error"])
            elif "argument" in answer:
                result = [owner, *arguments][answer["argument"]]
            else:
                result = self._decode(answer["result"])
        except Exception:
            raise _Unreadable from None
        if error is None:
            self._hits.pop(target, None)
            return result
        if isinstance(error, OverLimit):
            if not error.returns:
                self._hits[target] += 1
                self._first_hit.setdefault(target, error.seconds)
            raise error
        raise_at(error, origin or target.origin)

    def _error_from(self, fields: dict[str, Any]) -> tuple[Exception, Origin | None]:
        kinds, text = [str(kind)[:MAX_NAME] for kind in fields["kinds"]], str(fields["text"])
        origin = Origin.from_answer(fields["origin"])
        if not fields["import"]:
            error = make_error(kinds, tuple(self._decode(argument) for argument in fields["args"]), text)
            if isinstance(error, NameError):
                error.name = str(fields["name"])
            return error, origin
        file = str(fields["import"])
        # The lines of a notebook's code are not those of its cells.
        where = f", line {origin.line}" if origin and file not in self.notebooks else ""
        reason = f"{kinds[0]}: {text}" if text else kinds[0]
        shown = self.notebooks.get(file, file)
        return ImportError(f"{shown} cannot be imported{where}: {reason}"), origin or Origin("<module>", file, 1)

    def _decode(self, encoded: Any) -> Any:
        return codec.decode(encoded, self.classes)


class _Unreadable(Exception):
    """An answer is not one that the sandbox writes."""


def _over_from(fields: list[Any], target: Target) -> OverLimit:
    function, place, seconds, megabytes, returns = fields
    return over_limit(
        str(function or target.name),
        Origin.from_answer(place),
        float(seconds),
        megabytes=int(megabytes),
        returns=bool(returns),
    )
