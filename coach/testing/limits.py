"""Limits the time and memory of student code within one process: runaway code is stopped, and the test run continues.

A timer interrupts the program 50 times a second. If student code is running then, the processor time since the last
interruption counts as the student's, and a fraction of the time that it waited. Code that has used up its time gets an
`OverLimit`, raised in its current line, and again until it escapes every `except:`. The system limits memory: a list
that grows without end gets a MemoryError. Nothing interrupts code that never returns to Python, such as
`sum(itertools.count())`: `faulthandler` prints the stack and ends the process.
"""

import faulthandler
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, TextIO

try:
    import resource
except ImportError:
    # In a browser, where the page stops code that does not return.
    resource = None  # type: ignore[assignment]

TICK = 0.02
AGAIN = (1e-6, 2e-4)
"""Bounds, in seconds, of the random wait until code that has swallowed an OverLimit gets the next one: at another
point of its loop, perhaps while it handles this one."""
_OWN_RANDOM = random.Random()
STAYING = 0.2
"""After so many seconds, a call may be one that never returns."""


@dataclass(frozen=True)
class Limits:
    """Says what one test may use. Seconds are processor time, which hardly depends on how busy the machine is."""

    seconds: float = 4.0
    seconds_again: float = 0.3
    """For a call of a function that exceeded a limit in an earlier test, so that the run does not wait each time."""
    megabytes: int = 1024
    clock_factor: float = 2.5
    """Waiting uses no processor time: this many seconds of waiting count as one."""
    last_resort: float = 8.0
    """Seconds by the clock after which the process is ended if no signal handler has run."""


@dataclass(eq=False)
class OverLimit(BaseException):
    """Says that student code was stopped."""

    function: str | None
    """The function that did not return; None if unknown."""
    place: tuple[str, int] | None
    """Its file and line at that moment."""
    seconds: float
    megabytes: int = 0
    """The limit, if memory was the reason."""
    returns: bool = False
    """Whether every single call returned, but together they took too long."""
    failure: Any = None
    """The report of the test, a StudentFailure, if the call was made through `coach.teaching.call`."""

    def __str__(self) -> str:
        name = self.function or "the test"
        place = f" in {Path(self.place[0]).name}, line {self.place[1]}" if self.place else ""
        if self.megabytes:
            return f"{name} took more than {self.megabytes} MB of memory and was stopped{place}"
        if self.returns:
            return f"{name}, called repeatedly, had not finished after {self.seconds:.1f} seconds"
        return f"{name} did not return within {self.seconds:.1f} seconds and was stopped{place}"


class EndedProcess(RuntimeError):
    """Says how a call ended the process that it ran in: "decode ended its process (exit code 0)"."""


class Guard:
    """Watches one test at a time: `with guard.watch(): …`. Functions that hit a limit are remembered across tests.

    Args:
        is_student_file: tells whether a student wrote a file, which is named as in code objects.
        crash_report: the file to which the last resort writes the stack; None disables the last resort.
    """

    def __init__(
        self, is_student_file: Callable[[str], bool], limits: Limits = Limits(), crash_report: TextIO | None = None
    ) -> None:
        self.is_student_file = is_student_file
        self.limits = limits
        # In a browser, the page stops code that never returns to Python.
        self.crash_report = None if sys.platform == "emscripten" else crash_report
        self.hits: set[str] = set()

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Limit the student code that runs inside. May be entered several times in one test.

        Raises:
            OverLimit: the code has exceeded a limit, even if it has swallowed the OverLimit raised in it.
        """
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            # Signals reach the main thread only.
            yield
            return
        self._spent = 0.0
        self._since: dict[FrameType, float] = {}
        self._fired: OverLimit | None = None
        self._last_tick = time.thread_time()
        self._passed()
        old_handler = signal.signal(signal.SIGALRM, self._tick)
        old_timer = signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        old_hook = sys.unraisablehook
        # Where an interrupt is lost, as in `__del__`, the next one follows.
        sys.unraisablehook = lambda lost: None if isinstance(lost.exc_value, OverLimit) else old_hook(lost)
        try:
            with limited_memory(self.limits.megabytes):
                yield
        except BaseException as error:
            # Errors after a call that was stopped do not matter: its caller may be stopped as well before it ends.
            if not self._fired:
                self.hits |= {error.function} if isinstance(error, OverLimit) and error.function else set()
                raise
        finally:
            # Another timer, such as pytest-timeout's, continues with its remaining time.
            signal.setitimer(signal.ITIMER_REAL, *old_timer)
            signal.signal(signal.SIGALRM, old_handler)
            sys.unraisablehook = old_hook
            faulthandler.cancel_dump_traceback_later()
            self._since.clear()
        if self._fired:
            raise self._fired

    def _tick(self, signum: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        passed = self._passed()
        frames: list[FrameType] = []
        while frame:
            if not frames and frame.f_globals.get("__name__", "").startswith("numba."):
                # The course's own loops are compiled, once on each machine.
                return
            frames += [frame] if self.is_student_file(frame.f_code.co_filename) else []
            frame = frame.f_back
        if not frames or sys.gettrace():
            # A debugger waits for the student.
            return
        # When each running call was first seen. The innermost call that stays is to blame: those that it makes return.
        self._since = {frame: self._since.get(frame, self._spent) for frame in frames}
        self._spent += passed
        staying = [frame for frame in frames if self._spent - self._since[frame] >= STAYING]
        culprit = staying[0] if staying else frames[-1]
        name, in_this_call = culprit.f_code.co_name, self._spent - self._since[culprit]
        is_over = self._spent > self.limits.seconds
        if not is_over and (name not in self.hits or in_this_call <= self.limits.seconds_again):
            return
        if not self._fired:
            place = culprit.f_code.co_filename, _line_at(culprit.f_code, culprit.f_lasti)
            seconds = self._spent if is_over else in_this_call
            self._fired = OverLimit(name, place, seconds, returns=is_over and not staying)
            self.hits.add(name)
        signal.setitimer(signal.ITIMER_REAL, _OWN_RANDOM.uniform(*AGAIN), TICK)
        raise self._fired.with_traceback(None)

    def _passed(self) -> float:
        """Return the seconds since the last tick, and postpone the last resort, unless code swallows every OverLimit.
        Waiting is counted in ticks: when the machine pauses, its clock goes on, but that is one tick."""
        now = time.thread_time()
        processor, self._last_tick = now - self._last_tick, now
        if self.crash_report is not None and not self._fired:
            faulthandler.dump_traceback_later(self.limits.last_resort, exit=True, file=self.crash_report)
        return max(processor, TICK / self.limits.clock_factor)


def lines_of(trace: TracebackType | None) -> Iterator[tuple[CodeType, int]]:
    """Return the functions that a traceback passes through, the innermost last, each with its line."""
    while trace:
        yield trace.tb_frame.f_code, _line_at(trace.tb_frame.f_code, trace.tb_lasti)
        trace = trace.tb_next


def _line_at(code: CodeType, instruction: int) -> int:
    # On some versions of Python, the jump back at the end of a loop belongs to no line, and a signal may arrive there:
    # then return the nearest line before it.
    lines = [line for start, _, line in code.co_lines() if line is not None and start <= instruction]
    return lines[-1] if lines else code.co_firstlineno


@contextmanager
def limited_memory(megabytes: int) -> Iterator[None]:
    """Raise a MemoryError in code inside that takes more than so many megabytes. Only Linux has such a limit."""
    if sys.platform != "linux" or resource is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmData:")[1].split()[0]) << 10
    limits = [limit for limit in (soft, hard, used + (megabytes << 20)) if limit != resource.RLIM_INFINITY]
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    try:
        yield
    finally:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
