"""Starts the process that runs one student's code, exchanges messages with it, watches it, and ends it."""

import math
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from g2c.course.testing.limits import Limits
from g2c.grading import protocol
from g2c.grading.processes import KILLED, MEGABYTE, MachineFault, start_process
from g2c.grading.wall import SandboxSettings

MAX_FILES = 64
"""Files in the scratch folder, which cannot contain folders, and removed ones that are still in memory."""
MAX_BLOCKS = 2 * MAX_FILES * 1024
"""Disk space that these files may take, in units of 512 bytes: 1 MB for each, whatever their sizes are."""
MAX_THREADS = 100
"""The system allows some ten thousand, which all processes share."""
MUCH_MEMORY = 1024 * MEGABYTE
"""As much as a call may take. If a process with more is killed, that is not the machine's fault."""
WATCH_INTERVAL = 0.1
GRACE = 0.5
"""Seconds of processor time beyond a call's limit, for reading and writing messages."""
WAITING_GRACE = 1.5
"""Seconds of waiting beyond a call's limit, until the limits in the sandbox have ended the call."""
TIME = "time"


class NoAnswer(Exception):
    """Says that a process has ended without an answer, as a clause without its subject; "" for a time limit."""


class StudentProcess:
    """Runs one student's code, in an empty scratch folder."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.imported: set[str] = set()
        self.shared = protocol.Shared()
        self.spent = 0.0
        """Seconds that the latest exchange took, as a `Guard` counts them: waiting counts less."""
        self._scratch = settings.scratch
        shutil.rmtree(self._scratch, ignore_errors=True)
        try:
            self._scratch.mkdir(mode=0o700, exist_ok=True)
            self._process, self._connection = start_process("g2c.grading.sandbox", settings.course, self._scratch)
        except OSError as error:
            raise MachineFault(error.errno) from None
        self._seen = psutil.Process(self._process.pid)
        self._used = self._waited = 0.0
        """Seconds of processor time up to its last answer, and of waiting. A look that finds the process waiting counts
        as one interval, so that a busy or paused machine costs no student a test."""
        self._may_use = self._may_wait = math.inf
        """Limits for the two until it answers."""
        self._too_much = ""
        """The limit that it exceeded, as a clause; TIME for its time limits."""
        self._is_asking = self._is_killed = False
        """Whether it waits for a lent function, and whether this side has killed it."""
        self._is_over = threading.Event()
        self._most_memory = 0
        """The most memory that a look at it has seen, in bytes."""
        try:
            self._connection.send(settings)
            self._connection.recv_bytes()
        except (EOFError, OSError):
            self.stop()
            raise MachineFault(KILLED) from None
        threading.Thread(target=self._watch, daemon=True).start()

    def exchange(
        self, request: bytes, limits: Limits, classes: protocol.Classes, make_call: Callable[[dict[str, Any]], bytes]
    ) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the process is ended.

        The sandbox keeps the limits, too, but student code can switch them off there. Waiting for `make_call`, which
        makes a call of a lent function and returns the reply, does not count.

        Raises:
            NoAnswer: none came within the limits, it is unreadable or too large, the process ended, or it has too many
                files or threads.
            MachineFault: somebody else has killed the process.
        """
        used, waited = self._used, self._waited
        self._may_use = used + limits.seconds + GRACE
        self._may_wait = waited + limits.seconds * limits.clock_factor + WAITING_GRACE
        answer, message, why = None, request, "was stopped: its answer cannot be read"
        try:
            self._connection.send(limits)
            while message:
                self._is_asking = False
                self._connection.send_bytes(message)
                answer = protocol.unpack(self._connection.recv_bytes(protocol.MAX_BYTES), classes)
                self._is_asking = "call" in answer
                message = make_call(answer) if self._is_asking else b""
        except (EOFError, OSError):
            code = self.stop()
            was_killed = code == -signal.SIGKILL and not (self._too_much or self._is_killed)
            if was_killed and self._most_memory < MUCH_MEMORY:
                raise MachineFault(KILLED) from None
            why = f"ended its process (exit code {code})"
        except Exception:  # It has sent something else.
            answer = None
        self._used = self._processor_seconds()
        self.spent = max(self._used - used, (self._waited - waited) / limits.clock_factor)
        if answer is not None and (self._used > self._may_use or not self.imported):
            # This look makes the mark independent of when `_watch` looks, where it has too much from the start.
            self._look()
        self._may_use = self._may_wait = math.inf
        if isinstance(answer, dict) and not self._too_much:
            return answer
        self.stop()
        if self._too_much:
            why = "" if self._too_much == TIME else f"was stopped: {self._too_much}"
        raise NoAnswer(why)

    def stop(self) -> int:
        """End the process, and return its exit code."""
        if not self._is_over.is_set():
            self._is_over.set()
            self._connection.close()
            try:
                # If it is about to end by itself, its own exit code says more.
                self._process.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                self._is_killed = True
                self._process.kill()
        return self._process.wait()

    def _processor_seconds(self) -> float:
        with suppress(psutil.Error):
            times = self._seen.cpu_times()
            return float(times.user + times.system)
        return self._used

    def _look(self) -> None:
        """See whether the process exceeds a limit."""
        blocks, removed, threads = list[int](), set[bytes](), 1
        with suppress(psutil.Error, OSError):
            self._most_memory = max(self._most_memory, self._seen.memory_info().rss)
            if sys.platform == "linux":
                # Removed files may still be in its memory and therefore on the disk.
                maps = Path(f"/proc/{self._process.pid}/maps").read_bytes().splitlines()
                removed = {line.split()[4] for line in maps if line.endswith(b" (deleted)") and b"/" in line}
                # psutil could be deceived by the name that the process has given itself.
                threads = len(os.listdir(f"/proc/{self._process.pid}/task"))
            else:
                threads = self._seen.num_threads()
        try:
            for entry in os.scandir(self._scratch):
                with suppress(FileNotFoundError):  # Removed a moment ago.
                    blocks.append(entry.stat(follow_symlinks=False).st_blocks)
        except OSError:
            self._too_much = "its files cannot be counted"
        if len(blocks) + len(removed) > MAX_FILES:
            self._too_much = f"it has written more than {MAX_FILES} files"
        elif sum(blocks) > MAX_BLOCKS:
            self._too_much = f"its files take more than {MAX_BLOCKS // 2048} MB"
        if threads > MAX_THREADS:
            self._too_much = f"it has more than {MAX_THREADS} threads"
        if self._processor_seconds() > self._may_use or self._waited > self._may_wait:
            self._too_much = self._too_much or TIME

    def _watch(self) -> None:
        """Look at the process regularly, in a separate thread, and end it once it exceeds a limit."""
        while not self._is_over.wait(WATCH_INTERVAL):
            with suppress(psutil.Error):
                if not self._is_asking and self._seen.status() != psutil.STATUS_RUNNING:
                    self._waited += WATCH_INTERVAL
            self._look()
            if self._too_much:
                self._process.kill()
                break
