"""Time and memory limits for student code within one process: runaway code is stopped, and the test run continues.

A timer interrupts the program 50 times a second. The signal handler examines the call stack, and when student code has
run too long or taken too much memory, it raises `OverLimit` there. `OverLimit` is not an Exception, so
`except Exception` does not catch it; a bare `except:` does, so it is raised repeatedly until it escapes.

Code that never returns to Python, such as `sum(itertools.count())`, never runs the signal handler. As a last resort the
standard library's `faulthandler` prints the stack and ends the process.
"""

import faulthandler
import gc
import random
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, TextIO

import psutil

MEGABYTE = 2**20
TICK = 0.02
STAYING = 0.2
"""Seconds after which a call is considered one that may never return."""


@dataclass(frozen=True)
class Limits:
    """What one test may use. Seconds are processor time, so that a busy machine makes no test fail."""

    seconds: float = 4.0
    seconds_again: float = 0.3
    """For one call of a function that exceeded a limit in an earlier test, so that the run does not wait every time."""
    megabytes: int = 512
    clock_factor: float = 1.6
    """Waiting uses no processor time: wall-clock time may be this many times `seconds`, or 0.5 s more if that is
    longer."""
    longest_call: float = 9.0
    """Wall-clock seconds that a single call may take, however busy the machine is."""
    last_resort: float = 8.0
    """Wall-clock seconds after which the whole process is ended if no signal handler has run."""

    def clock(self, seconds: float) -> float:
        return max(seconds * self.clock_factor, seconds + 0.5)


class OverLimit(BaseException):
    """Student code was stopped. `function` is the one that did not return, `place` its file and line at that moment."""

    def __init__(self, culprit: FrameType | None, seconds: float, *, megabytes: int = 0, returns: bool = False) -> None:
        self.function = culprit.f_code.co_name if culprit else None
        self.place = (culprit.f_code.co_filename, _line_at(culprit.f_code, culprit.f_lasti)) if culprit else None
        self.seconds = seconds
        self.megabytes = megabytes
        """Megabytes taken if memory was the reason, else 0."""
        self.returns = returns
        """Every single call returned, but together they took too long."""
        self.outcome: Any = None
        """The call that was running, if it was made through `g2c.course.teaching.call`."""
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """What happened, for one line of a report."""
        name = self.function or "the test"
        place = f" in {Path(self.place[0]).name}, line {self.place[1]}" if self.place else ""
        if self.megabytes:
            return f"{name} took {self.megabytes} MB of memory in {self.seconds:.1f} seconds and was stopped{place}"
        if self.returns:
            return f"{name}, called repeatedly, had not finished after {self.seconds:.1f} seconds"
        return f"{name} did not return within {self.seconds:.1f} seconds and was stopped{place}"


@dataclass
class _Visit:
    """One call of a student function, found on the stack at consecutive ticks."""

    frame: FrameType
    began: float
    processor: float
    clock: float


class Guard:
    """Watches one test at a time: `with guard.watch(): …`. Functions that hit a limit are remembered across tests.

    Args:
        is_student_file: whether a student wrote the file with this name, as code objects give it.
        is_test_file: the same for the tests; the guard never interrupts pytest itself.
        crash_report: the file to which the last resort writes the stack; None disables the last resort.
        is_debugging: whether a debugger waits for the student, whose time then does not count. Where nobody can use
            one, the default saves the import of pytest_timeout.
    """

    def __init__(
        self,
        is_student_file: Callable[[str], bool],
        is_test_file: Callable[[str], bool],
        limits: Limits = Limits(),
        crash_report: TextIO | None = None,
        is_debugging: Callable[[], bool] = lambda: False,
    ) -> None:
        self.is_student_file = is_student_file
        self.is_test_file = is_test_file
        self.limits = limits
        self.crash_report = crash_report
        self.is_debugging = is_debugging
        self.hits: set[str] = set()
        self.memory_ran_out = False
        """Set after a MemoryError; later tests get less memory, so that the next one comes sooner."""
        self.process = psutil.Process()

    def watch(self) -> "_Watch":
        """A context manager with limits for the code inside. May be entered several times in one test."""
        return _Watch(self)

    @contextmanager
    def last_resort(self) -> Iterator[None]:
        """Around a whole test: end the process when it hangs where no signal handler runs."""
        self.arm_last_resort()
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

    def arm_last_resort(self) -> None:
        if self.crash_report is not None:
            faulthandler.dump_traceback_later(self.limits.last_resort, exit=True, file=self.crash_report)


class _Watch:
    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.limits = guard.limits
        self.visits: dict[int, _Visit] = {}
        self.fired: OverLimit | None = None
        """What was raised, also if the student's code has swallowed it."""

    def __enter__(self) -> "_Watch":
        # Signals reach the main thread only; tests that run elsewhere are left to the last resort.
        self.active = threading.current_thread() is threading.main_thread()
        self.began = self.alive = time.monotonic()
        self.clock = self.last_clock = _clock()
        self.processor = self.last_processor = time.thread_time()
        self.memory = self.guard.process.memory_info().rss
        if self.active:
            self.old_data_limit = _limit_data(self.limits.megabytes // (4 if self.guard.memory_ran_out else 1))
            self.old_handler = signal.signal(signal.SIGALRM, self._tick)
            self.old_unraisable = sys.unraisablehook
            sys.unraisablehook = self._unraisable
            self.old_timer = signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.active:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.old_handler)
            sys.unraisablehook = self.old_unraisable
            self._restore_timer()
            _restore_data_limit(self.old_data_limit)
        self.visits.clear()
        if isinstance(error, OverLimit):
            self._free_memory(trace)
            error.__context__ = None
            error.__traceback__ = with_lines(trace)
        elif error is None and self.fired:
            # Python itself swallows what is raised in `__del__`.
            raise self.fired.with_traceback(None)

    def _unraisable(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """What is raised in `__del__` goes no further. An OverLimit is raised again when the call ends."""
        if not isinstance(unraisable.exc_value, OverLimit):
            self.old_unraisable(unraisable)

    def _free_memory(self, trace: TracebackType | None) -> None:
        """Clear the frames of the traceback, which would keep everything that the student's code allocated."""
        for frame, _ in traceback.walk_tb(trace):
            if self.guard.is_student_file(frame.f_code.co_filename):
                with suppress(RuntimeError):
                    frame.clear()

    def _restore_timer(self) -> None:
        """Restart a timer that was running before, such as pytest-timeout's, with its remaining time."""
        delay, interval = self.old_timer
        if delay:
            left = delay - (time.monotonic() - self.began)
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), interval)

    def _tick(self, signum: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        # Signal handlers run: postpone the last resort, unless the student's code swallows every OverLimit.
        if time.monotonic() - self.alive > 1 and not self.fired:
            self.alive = time.monotonic()
            self.guard.arm_last_resort()
        if self.guard.is_debugging():
            return
        frames = list(_frames_from(frame))
        if any(frame.f_code is _Watch._unraisable.__code__ for frame in frames):
            return
        if self._leaves_out_compiling(frames):
            return
        students = [frame for frame in frames if self.guard.is_student_file(frame.f_code.co_filename)]
        self._follow(students)
        over = self._over(students)
        if over is None:
            return
        # Never raise inside pytest itself, and a second time only when the student's code has swallowed the first.
        if not students and (
            self.fired or not any(self.guard.is_test_file(frame.f_code.co_filename) for frame in frames)
        ):
            return
        if over.function and not self.fired:
            self.guard.hits.add(over.function)
        self.fired = self.fired or over
        # If the exception is swallowed, the next one comes at once, at another point of the loop.
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.000_001, 0.000_2), TICK)
        raise over

    def _leaves_out_compiling(self, frames: list[FrameType]) -> bool:
        """Whether the engine is just being compiled, as after an update of the course. That time counts for nobody."""
        clock, processor = _clock(), time.thread_time()
        is_compiling = any(_compiles(frame) for frame in frames)
        if is_compiling:
            self.clock += clock - self.last_clock
            self.processor += processor - self.last_processor
            self.visits.clear()
        self.last_clock, self.last_processor = clock, processor
        return is_compiling

    def _follow(self, students: list[FrameType]) -> None:
        """Record when each running call was first seen. Calls that have returned are dropped."""
        now = time.monotonic(), time.thread_time(), _clock()
        self.visits = {id(frame): self.visits.get(id(frame)) or _Visit(frame, *now) for frame in students}

    def _over(self, students: list[FrameType]) -> OverLimit | None:
        """What to raise when a limit is exceeded. The culprit is the innermost call that stays: its calls return."""
        now = _clock()
        staying = [frame for frame in students if now - self.visits[id(frame)].clock >= STAYING]
        culprit = next(iter(staying or students[-1:]), None)
        seconds = now - self.clock
        megabytes = (self.guard.process.memory_info().rss - self.memory) // MEGABYTE
        if megabytes > self.limits.megabytes:
            return OverLimit(culprit, seconds, megabytes=megabytes)
        if self._is_over(time.thread_time() - self.processor, seconds, self.limits.seconds):
            return OverLimit(culprit, seconds, returns=not staying)
        if not staying or culprit is None:
            return None
        visit = self.visits[id(culprit)]
        if time.monotonic() - visit.began > self.limits.longest_call:
            return OverLimit(culprit, seconds)
        if culprit.f_code.co_name in self.guard.hits:
            if self._is_over(time.thread_time() - visit.processor, now - visit.clock, self.limits.seconds_again):
                return OverLimit(culprit, now - visit.clock)
        return None

    def _is_over(self, processor: float, clock: float, allowed: float) -> bool:
        return processor > allowed or clock > self.limits.clock(allowed)


@contextmanager
def short_limits(megabytes: int, may_stop_in: Callable[[str], bool]) -> Iterator[Callable[..., Any]]:
    """Yields `limited(seconds, function, *args)`, which calls the function and raises OverLimit after so many seconds.

    For wrong solutions that the course itself runs. A `Guard` that is active at the same time is not disturbed.

    Args:
        megabytes: the limit of memory for all calls together.
        may_stop_in: whether code of the file with this name may be interrupted; a callback of the garbage collector
            must not be.

    Raises:
        RuntimeError: this is not the main thread; signals arrive only there.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("limits need the main thread")
    running = 0.0

    def stop(signum: int, frame: FrameType | None) -> None:
        if running and frame is not None and may_stop_in(frame.f_code.co_filename):
            raise OverLimit(None, running)

    def limited(seconds: float, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        nonlocal running
        try:
            running = seconds
            # Repeatedly, for code that catches everything.
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.002)
            return function(*args, **kwargs)
        finally:
            running = 0.0
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    # A collection of the whole process's objects may take longer than the few milliseconds that a call has.
    collects = gc.isenabled()
    gc.disable()
    old_data_limit = _limit_data(megabytes)
    old_handler = signal.signal(signal.SIGVTALRM, stop)
    try:
        yield limited
    finally:
        signal.signal(signal.SIGVTALRM, old_handler)
        _restore_data_limit(old_data_limit)
        if collects:
            gc.enable()


def with_lines(trace: TracebackType | None) -> TracebackType | None:
    """The same traceback with a line for each entry. A signal may arrive at an instruction that belongs to no line."""
    if trace is None:
        return None
    line = _line_at(trace.tb_frame.f_code, trace.tb_lasti)
    return TracebackType(with_lines(trace.tb_next), trace.tb_frame, trace.tb_lasti, line)


def _line_at(code: CodeType, instruction: int) -> int:
    """The line of an instruction, or of the last one before it that has a line."""
    line = code.co_firstlineno
    for start, _, number in code.co_lines():
        if start > instruction:
            break
        line = line if number is None else number
    return line


def _compiles(frame: FrameType) -> bool:
    # By name, because a student's commands do not import the engine.
    return frame.f_code.co_name == "_compile" and frame.f_globals.get("__name__") == "g2c.engine.compiled"


def _clock() -> float:
    """Wall-clock seconds, without the time in which this thread was ready but had to wait for a processor."""
    try:
        waited = int(_read_state("/proc/thread-self/schedstat").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        # Not Linux, or a kernel without these statistics.
        waited = 0
    return time.monotonic() - waited


def _read_state(path: str) -> bytes:
    """A file of /proc, which is read in every call: without the buffers and decoders of text files."""
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _frames_from(frame: FrameType | None) -> Iterator[FrameType]:
    """The call stack, innermost frame first."""
    while frame:
        yield frame
        frame = frame.f_back


def _limit_data(megabytes: int) -> tuple[int, int] | None:
    """Linux: limit the process's data segment, for lists that grow within one call into C and raise MemoryError.

    Returns the previous limit; None when it was left unchanged.
    """
    if sys.platform != "linux":
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(_read_state("/proc/self/status").split(b"VmData:")[1].split()[0]) * 1024
    wanted = used + 2 * megabytes * MEGABYTE
    if soft != resource.RLIM_INFINITY and soft <= wanted:
        return None
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    except (ValueError, OSError):
        return None
    return soft, hard


def _restore_data_limit(old: tuple[int, int] | None) -> None:
    if old is not None:
        resource.setrlimit(resource.RLIMIT_DATA, old)
