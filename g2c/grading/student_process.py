"""The process that runs one student's code, seen from the test runner: start it, exchange messages with it, end it.

Answers are read under limits for time and size, and the process is watched meanwhile.
"""

import math
import os
import pickle
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import Any

import psutil

from g2c.grading import protocol
from g2c.grading.processes import start_process
from g2c.grading.wall import SandboxSettings

MAX_FILES = 64
"""How many files there may be in the scratch folder, which cannot contain folders."""
MAX_THREADS = 100
"""The system has room for some ten thousand, which all processes share."""
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


class StudentProcess:
    """A process that runs one student's code, from its start to its end. It begins with an empty scratch folder.

    Args:
        settings: what the process may use.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self.imported: set[str] = set()
        """The exercise files that it has imported."""
        self.known: dict[int, protocol.SharedAttributes] = {}
        """What it knows of the proxies, by the number of their handle."""
        self.processor_seconds = 0.0
        """What it had used when it answered last."""
        self._scratch = settings.scratch
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(mode=0o700, exist_ok=True)
        self._process, self._connection = start_process("g2c.grading.sandbox", settings.course, self._scratch)
        self._seen = psutil.Process(self._process.pid)
        self._exceeded = ""
        """What it has too much of, as a clause."""
        self._deadline = math.inf
        """The `time.monotonic()` at which it must have answered."""
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()
        with suppress(OSError):  # Where the process has ended already, the first exchange says so.
            self._connection.send_bytes(pickle.dumps(settings))

    def exchange(self, request: bytes, seconds: float, classes: protocol.Classes) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the process is ended.

        Args:
            request: see g2c.grading.protocol.
            seconds: how long to wait, by the clock.
            classes: those that objects in the answer may have.

        Raises:
            NoAnswer: none came within `seconds`, it is unreadable or too large, the process ended, or it has too many
                files or threads.
        """
        began = time.monotonic()
        self._deadline = began + seconds
        try:
            self._connection.send_bytes(request)
            answer = protocol.unpack(self._connection.recv_bytes(protocol.MAX_BYTES), classes)
            if not self.imported:
                # What it has too much of from the start ends it here: `_watch` would come after some calls, or others.
                self._look()
            if isinstance(answer, dict) and not self._exceeded:
                return answer
            why = "was stopped: its answer cannot be read"
        except (EOFError, OSError):
            is_late = time.monotonic() > self._deadline
            code = self.stop()
            why = "" if is_late else f"ended its process (exit code {code})"
        except Exception:
            why = "was stopped: its answer cannot be read"
        finally:
            self._deadline = math.inf
            with suppress(psutil.Error):  # It has ended.
                times = self._seen.cpu_times()
                self.processor_seconds = times.user + times.system
        self.stop()
        raise NoAnswer(f"was stopped: {self._exceeded}" if self._exceeded else why, time.monotonic() - began)

    def stop(self) -> int:
        """End the process. Returns its exit code."""
        if not self._is_over.is_set():
            self._is_over.set()
            self._connection.close()
            with suppress(subprocess.TimeoutExpired):
                # A process that ends by itself is worth a moment's wait: its exit code says more.
                self._process.wait(timeout=0.05)
            self._kill()
        return self._process.wait()

    def _look(self) -> None:
        """See whether the process has too much of something."""
        try:
            if len(os.listdir(self._scratch)) > MAX_FILES:
                self._exceeded = f"it has written more than {MAX_FILES} files"
        except OSError:
            self._exceeded = "its files cannot be counted"
        with suppress(psutil.Error):
            if self._seen.num_threads() > MAX_THREADS:
                self._exceeded = f"it has more than {MAX_THREADS} threads"

    def _watch(self) -> None:
        """In a separate thread: end the process once it has too much, or does not answer in time."""
        while not self._is_over.wait(WATCH_INTERVAL):
            self._look()
            if self._exceeded or time.monotonic() > self._deadline:
                self._kill()
                break

    def _kill(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
