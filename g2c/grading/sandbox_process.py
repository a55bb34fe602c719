"""The process that runs one student's code, seen from the test runner: start it, exchange messages with it, end it.

What comes back is read under limits for time, size and depth (wire.py), and the process is watched meanwhile.
"""

import os
import pickle
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil

from g2c.common.framing import FrameTooLarge, receive_frame, send_frame
from g2c.grading import wire
from g2c.grading.policy import MAX_REPORT, MAX_THREADS, SCRATCH_FILES, SCRATCH_MEGABYTES, SandboxSettings
from g2c.grading.processes import start_process

MEGABYTE = 2**20
MAX_REPORTS = 1000
"""More reports than that before one answer are not from this course's code."""
QUOTA_INTERVAL = 0.1
"""Seconds between two looks at the scratch folder and the threads."""
BLOCK = 512
"""Bytes in a block, as `os.stat` counts what a file occupies: more than its size, where it has room at its end."""


class ProcessStopped(Exception):
    """The process had to be ended after `seconds`, because of `why`; "" when no answer came."""

    def __init__(self, seconds: float, why: str = "") -> None:
        super().__init__(seconds, why)
        self.seconds = seconds
        self.why = why


class ProcessEnded(Exception):
    """The process ended by itself."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


@dataclass
class _Running:
    """A started process and this end of the connection to it."""

    process: subprocess.Popen[bytes]
    connection: socket.socket
    has_answered: bool = False
    exceeded: str = ""
    """Why it was ended by `SandboxProcess._watch`."""
    is_over: threading.Event = field(default_factory=threading.Event)

    def processor_seconds(self) -> float:
        """What the process has used since it started; 0 before it has answered for the first time."""
        if not self.has_answered:
            return 0.0
        try:
            times = psutil.Process(self.process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def threads(self) -> int:
        """How many threads the process has."""
        try:
            return int(psutil.Process(self.process.pid).num_threads())
        except psutil.Error:
            return 0


class SandboxProcess:
    """At most one process at a time, started when it is needed.

    Args:
        settings: what the process may use.
        report: called with each report of what the code tried, as soon as it arrives.
    """

    def __init__(self, settings: SandboxSettings, report: Callable[[str], None]) -> None:
        self.settings = settings
        self.report = report
        self.generation = 0
        """How many processes have been started: a new one knows nothing of what the last one was sent."""
        self.processor_used = self.clock_used = 0.0
        """Seconds that all exchanges took, by the processor and by the clock."""
        self._running: _Running | None = None

    @property
    def is_running(self) -> bool:
        return self._running is not None

    def start(self) -> None:
        """Start a process with an empty scratch folder."""
        empty_folder(self.settings.scratch)
        mine, theirs = socket.socketpair()
        with theirs:
            process = start_process("g2c.grading.sandbox", self.settings.course, self.settings.scratch, [theirs])
        self.generation += 1
        running = self._running = _Running(process, mine)
        threading.Thread(target=self._watch, args=[running], daemon=True).start()
        with suppress(OSError):  # Where the process has ended already, the first exchange says so.
            send_frame(mine, pickle.dumps(self.settings))

    def stop(self) -> int | None:
        """End the process and everything that it has started. Returns its exit code; None without a process."""
        if self._running is None:
            return None
        process = self._running.process
        self._running.is_over.set()
        self._running.connection.close()
        try:
            # A process that ends by itself is worth a moment's wait: its exit code says more.
            process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._running = None
        return process.returncode

    def exchange(self, request: bytes | None, seconds: float) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the process is ended.

        Args:
            request: None receives an answer that comes without a request.
            seconds: how long to wait, by the clock.

        Raises:
            ProcessStopped: no answer came within `seconds`, what came is no answer or exceeds the bounds of one, or the
                process has too many files or threads.
            ProcessEnded: the process ended.
        """
        if self._running is None:
            raise ProcessEnded(None)
        running = self._running
        began, processor = time.monotonic(), running.processor_seconds()
        try:
            return self._exchange(running, request, began + seconds)
        except (TimeoutError, FrameTooLarge, MemoryError, wire.NotPlainData) as error:
            self.stop()
            raise ProcessStopped(time.monotonic() - began, _why(error)) from None
        except (EOFError, OSError):
            exit_code = self.stop()
            if running.exceeded:
                raise ProcessStopped(time.monotonic() - began, running.exceeded) from None
            raise ProcessEnded(exit_code) from None
        except BaseException:
            self.stop()
            raise
        finally:
            self.clock_used += time.monotonic() - began
            self.processor_used += max(running.processor_seconds() - processor, 0.0)

    def _exchange(self, running: _Running, request: bytes | None, deadline: float) -> dict[str, Any]:
        began = time.monotonic()
        if request is not None:
            send_frame(running.connection, request, deadline)
        answer = self._receive_answer(running.connection, deadline)
        if not running.has_answered:
            running.has_answered = True
            # What it has too much of from the start ends it here: `_watch` would come after some calls, or others.
            too_much = self._too_much(running)
            # Nothing is seen of a process that `_watch` has ended in the meantime.
            if why := running.exceeded or too_much:
                raise ProcessStopped(time.monotonic() - began, why)
        return answer

    def _receive_answer(self, connection: socket.socket, deadline: float) -> dict[str, Any]:
        """The next message that is not a report. Reports come at once, so that nothing can take them back."""
        size = 0
        for _ in range(MAX_REPORTS):
            frame = receive_frame(connection, deadline, wire.MAX_BYTES - size)
            message, size = wire.unpack(frame), size + len(frame)
            if not isinstance(message, dict):
                raise wire.NotPlainData("the answer is not a dictionary")
            if "report" not in message:
                return message
            self.report(str(message["report"])[:MAX_REPORT])
        raise wire.NotPlainData("too many reports")

    def _watch(self, running: _Running) -> None:
        """In a thread of its own: end the process once it has too much, also between calls and within an answer."""
        while not running.exceeded and not running.is_over.wait(QUOTA_INTERVAL):
            running.exceeded = self._too_much(running)
        # `stop` sets `is_over` before it waits, so that the number cannot be another process's by now.
        if not running.is_over.is_set():
            with suppress(OSError):
                os.killpg(running.process.pid, signal.SIGKILL)

    def _too_much(self, running: _Running) -> str:
        """What the process has too much of, as a clause; "" if it has nothing too much."""
        if exceeds_quota(self.settings.scratch):
            return f"its files exceed {SCRATCH_MEGABYTES} MB, or there are more than {SCRATCH_FILES:,} of them"
        if running.threads() > MAX_THREADS:
            return f"it has more than {MAX_THREADS} threads"
        return ""


def _why(error: Exception) -> str:
    """Why the process was ended after this error, as a clause; "" when no answer came in time."""
    if isinstance(error, TimeoutError):
        return ""
    too_large = isinstance(error, (FrameTooLarge, MemoryError))
    return f"its answer exceeds {wire.MAX_BYTES // MEGABYTE} MB" if too_large else "its answer cannot be read"


def exceeds_quota(folder: Path) -> bool:
    """Whether a scratch folder holds too much, or something that cannot be counted."""
    size = count = 0
    folders = [str(folder)]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except FileNotFoundError:
            continue  # It has just been removed.
        except OSError:
            return True
        for entry in entries:
            count += 1
            with suppress(FileNotFoundError):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    found = entry.stat(follow_symlinks=False)
                    size += max(found.st_size, BLOCK * found.st_blocks)
            if count > SCRATCH_FILES or size > SCRATCH_MEGABYTES * MEGABYTE:
                return True
    return False


def empty_folder(folder: Path) -> None:
    """Remove everything in a folder that a student's code has written: also what is closed, or nested very deeply."""
    while entries := list(os.scandir(folder)):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            for inner in list(os.scandir(entry.path)):
                if inner.is_dir(follow_symlinks=False):
                    # Folders are moved up, so that no path gets too long.
                    os.chmod(inner.path, 0o700)
                    os.rename(inner.path, folder / f".{uuid4().hex}")
                else:
                    os.unlink(inner.path)
            os.rmdir(entry.path)
