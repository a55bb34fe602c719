"""The process that runs one student's code, seen from the test runner: start it, exchange messages with it, end it.

Answers are read under limits for time and size, and the process is watched meanwhile.
"""

import math
import os
import pickle
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psutil

from g2c.grading import protocol
from g2c.grading.policy import MAX_FILES, MAX_THREADS, SandboxSettings
from g2c.grading.processes import start_process

WATCH_INTERVAL = 0.1
"""Seconds between two looks at the process."""


class NoAnswer(Exception):
    """A process has given no answer, and has ended.

    `why` goes on from a subject, such as "ended its process"; it is "" when no answer came within `seconds`.
    """

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why, seconds)
        self.why = why
        self.seconds = seconds


@dataclass
class _Running:
    """A started process and this end of the connection to it."""

    process: subprocess.Popen[bytes]
    seen: psutil.Process
    """The same process, as the system sees it."""
    connection: socket.socket
    scratch: str
    used: float | None = None
    """Seconds of processor time when it answered last; None before it has answered for the first time."""
    deadline: float = math.inf
    """The `time.monotonic()` at which it must have answered."""
    exceeded: str = ""
    """What it has had too much of, as a clause."""
    is_over: threading.Event = field(default_factory=threading.Event)

    def processor_seconds(self) -> float:
        """What the process has used since it started; 0 where it has ended."""
        try:
            times = self.seen.cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def look(self) -> None:
        """See whether the process has too much of something."""
        try:
            if len(os.listdir(self.scratch)) > MAX_FILES:
                self.exceeded = f"it has written more than {MAX_FILES} files"
        except OSError:
            self.exceeded = "its files cannot be counted"
        with suppress(psutil.Error):
            if self.seen.num_threads() > MAX_THREADS:
                self.exceeded = f"it has more than {MAX_THREADS} threads"

    def watch(self) -> None:
        """In a separate thread: end the process once it has too much, or does not answer in time."""
        while not self.is_over.wait(WATCH_INTERVAL):
            self.look()
            if self.exceeded or time.monotonic() > self.deadline:
                break
        # `is_over` is set before the process is waited for, so the number cannot be another process's by now.
        if not self.is_over.is_set():
            self.kill()
            with suppress(OSError):  # Without isolation, a process that it has started may keep the connection open.
                self.connection.shutdown(socket.SHUT_RDWR)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


class StudentProcess:
    """At most one process at a time, started when it is needed.

    Args:
        settings: what the process may use.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
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
        scratch = self.settings.scratch
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(mode=0o700, exist_ok=True)
        mine, theirs = socket.socketpair()
        with theirs:
            process = start_process("g2c.grading.sandbox", self.settings.course, scratch, theirs)
        self.generation += 1
        self._running = _Running(process, psutil.Process(process.pid), mine, str(scratch))
        threading.Thread(target=self._running.watch, daemon=True).start()
        with suppress(OSError):  # Where the process has ended already, the first exchange says so.
            protocol.send(mine, pickle.dumps(self.settings))

    def stop(self) -> int | None:
        """End the process and everything that it has started. Returns its exit code; None without a process."""
        if self._running is None:
            return None
        running, self._running = self._running, None
        running.is_over.set()
        running.connection.close()
        try:
            # A process that ends by itself is worth a moment's wait: its exit code says more.
            running.process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            running.kill()
            running.process.wait()
        return running.process.returncode

    def exchange(self, request: bytes, seconds: float, classes: protocol.Classes | None = None) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the process is ended.

        Args:
            request: see g2c.grading.protocol.
            seconds: how long to wait, by the clock.
            classes: those that objects in the answer may have.

        Raises:
            NoAnswer: none came within `seconds`, it is unreadable or too large, the process ended, or it has too many
                files or threads.
        """
        running = self._running
        if running is None:
            raise NoAnswer("ended its process", 0.0)
        began = time.monotonic()
        running.deadline = began + seconds
        try:
            protocol.send(running.connection, request)
            answer = protocol.unpack(protocol.receive(running.connection, protocol.MAX_BYTES), classes or {})
            if running.used is None:
                # What it has too much of from the start ends it here: `watch` would come after some calls, or others.
                running.look()
            if isinstance(answer, dict) and not running.exceeded:
                return answer
            why = "was stopped: its answer cannot be read"
        except (EOFError, OSError):
            is_late = time.monotonic() > running.deadline
            code = self.stop()
            why = "" if is_late else f"ended its process (exit code {code})"
        except (protocol.MessageTooLarge, MemoryError):
            why = f"was stopped: its answer exceeds {protocol.MAX_BYTES // 2**20} MB"
        except Exception:
            why = "was stopped: its answer cannot be read"
        except BaseException:
            self.stop()
            raise
        finally:
            running.deadline = math.inf
            self.clock_used += time.monotonic() - began
            used = running.processor_seconds()
            self.processor_used += max(used - running.used, 0.0) if running.used is not None else 0.0
            running.used = used
        self.stop()
        raise NoAnswer(f"was stopped: {running.exceeded}" if running.exceeded else why, time.monotonic() - began)
