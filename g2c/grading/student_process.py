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
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil

from g2c.course.testing.limits import Limits
from g2c.grading import protocol
from g2c.grading.processes import KILLED, MEGABYTE, MachineFault, start_process
from g2c.grading.wall import SandboxSettings

MAX_FILES = 64
"""How many files there may be in the scratch folder, which cannot contain folders, and removed ones in memory."""
MAX_BLOCKS = 2 * MAX_FILES * 1024
"""Room that these files may take on the disk, in units of 512 bytes: 1 MB for each, whatever their sizes are."""
MAX_THREADS = 100
"""The system has room for some ten thousand, which all processes share."""
MUCH_MEMORY = 1024 * MEGABYTE
"""A process that is killed and had more is not the machine's fault: a call may take as much."""
WATCH_INTERVAL = 0.1
"""Seconds between two looks at the process."""
GRACE = 0.5
"""Seconds of processor time that a call may take beyond its limit: what it needs to read and write messages."""
WAITING_GRACE = 1.5
"""Seconds for which the process may wait beyond its limit, until the limits in the sandbox have ended the call."""
TIME = "time"
"""What a process that does not answer within the limits has too much of."""


MakeCall = Callable[[dict[str, Any]], bytes]


class NoAnswer(Exception):
    """A process has given no answer, and has ended. The text goes on from a subject, such as "ended its process"; it is
    empty where the limits of time were reached."""


class StudentProcess:
    """A process that runs one student's code, from its start to its end. It begins with an empty scratch folder."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.imported: set[str] = set()
        """The exercise files that it has imported."""
        self.known: dict[int, protocol.Shared] = {}
        """What it knows of the proxies, by the number of their handle."""
        self.used = 0.0
        """Seconds of processor time that it had used when it answered last."""
        self.waited = 0.0
        """Seconds for which it has waited. A look at it that finds it waiting counts as one interval, so a machine that
        is busy, or pauses, costs no student a test."""
        self._scratch = settings.scratch
        shutil.rmtree(self._scratch, ignore_errors=True)
        try:
            self._scratch.mkdir(mode=0o700, exist_ok=True)
            self._process, self._connection = start_process("g2c.grading.sandbox", settings.course, self._scratch)
        except OSError as error:
            raise MachineFault(error.errno) from None
        self._seen = psutil.Process(self._process.pid)
        self._too_much = ""
        """What it has too much of, as a clause, or TIME."""
        self._may_use = self._may_wait = math.inf
        """How far `used` and `waited` may go until it answers."""
        self._is_asking = self._is_ready = False
        """Whether it waits for a lent function, and whether it has begun to answer."""
        self._is_over = threading.Event()
        self._is_killed = False
        """Whether `stop` has killed it."""
        self._most_memory = 0
        """Bytes that it has had in memory, at the look that saw most."""
        threading.Thread(target=self._watch, daemon=True).start()
        with suppress(OSError):  # Where the process has ended already, the first exchange says so.
            self._connection.send_bytes(pickle.dumps(settings))

    def exchange(
        self, request: bytes, limits: Limits, classes: protocol.Classes, make_call: MakeCall
    ) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the process is ended.

        Args:
            request: see g2c.grading.protocol.
            limits: those that the sandbox keeps. Code that switches them off there reaches them here.
            classes: the classes that objects in the answer may have.
            make_call: makes a call of a lent function, and returns the reply. Waiting for it costs the process no time.

        Raises:
            NoAnswer: none came within the limits, it is unreadable or too large, the process ended, or it has too many
                files or threads.
            MachineFault: the process could not be started, or somebody else has killed it.
        """
        self._may_use = self.used + limits.seconds + GRACE
        self._may_wait = self.waited + limits.seconds * limits.clock_factor + WAITING_GRACE
        answer, why = None, "was stopped: its answer cannot be read"
        try:
            message = request
            self._is_ready = self._is_ready or bool(self._connection.recv_bytes())
            while message:
                self._is_asking = False
                self._connection.send_bytes(message)
                answer = protocol.unpack(self._connection.recv_bytes(protocol.MAX_BYTES), classes)
                self._is_asking = "call" in answer
                message = make_call(answer) if self._is_asking else b""
        except (EOFError, OSError):
            code = self.stop()
            if not self._is_ready or code == -signal.SIGKILL and not (self._too_much or self._is_killed):
                if self._most_memory < MUCH_MEMORY:
                    raise MachineFault(KILLED) from None
            why = f"ended its process (exit code {code})"
        except Exception:  # Whatever it has sent instead.
            answer = None
        self.used = self._processor_seconds()
        if answer is not None and (self.used > self._may_use or not self.imported):
            # What it has too much of from the start ends it here: `_watch` would come after some calls, or others.
            self._look()
        self._may_use = self._may_wait = math.inf
        if isinstance(answer, dict) and not self._too_much:
            return answer
        self.stop()
        if self._too_much:
            why = "" if self._too_much == TIME else f"was stopped: {self._too_much}"
        raise NoAnswer(why)

    def stop(self) -> int:
        """End the process. Returns its exit code."""
        if not self._is_over.is_set():
            self._is_over.set()
            self._connection.close()
            try:
                # A process that ends by itself is worth a moment's wait: its exit code says more.
                self._process.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                self._is_killed = True
                self._process.kill()
        return self._process.wait()

    def _processor_seconds(self) -> float:
        with suppress(psutil.Error):
            times = self._seen.cpu_times()
            return float(times.user + times.system)
        return self.used  # It has ended.

    def _removed_files(self) -> int:
        """On Linux: how many files it has removed that are still in its memory, and so on the disk."""
        with suppress(OSError), open(f"/proc/{self._process.pid}/maps", "rb") as maps:
            return len({line.split()[4] for line in maps if line.endswith(b" (deleted)\n") and b"/" in line})
        return 0

    def _look(self) -> None:
        """See whether the process has too much of something."""
        if self._processor_seconds() > self._may_use or self.waited > self._may_wait:
            self._too_much = TIME
        with suppress(psutil.Error):
            self._most_memory = max(self._most_memory, self._seen.memory_info().rss)
        try:
            blocks = []
            for entry in os.scandir(self._scratch):
                with suppress(FileNotFoundError):  # Removed a moment ago.
                    blocks.append(entry.stat(follow_symlinks=False).st_blocks)
            if len(blocks) + self._removed_files() > MAX_FILES:
                self._too_much = f"it has written more than {MAX_FILES} files"
            elif sum(blocks) > MAX_BLOCKS:
                self._too_much = f"its files take more than {MAX_BLOCKS // 2048} MB"
        except OSError:
            self._too_much = "its files cannot be counted"
        with suppress(psutil.Error, OSError):
            tasks = f"/proc/{self._process.pid}/task"
            # On Linux, psutil searches a text that begins with the name that the process has given itself.
            threads = len(os.listdir(tasks)) if os.path.exists(tasks) else self._seen.num_threads()
            if threads > MAX_THREADS:
                self._too_much = f"it has more than {MAX_THREADS} threads"

    def _watch(self) -> None:
        """In a separate thread: look at the process, and end it once it has too much."""
        while not self._is_over.wait(WATCH_INTERVAL):
            with suppress(psutil.Error):
                if not self._is_asking and self._seen.status() != psutil.STATUS_RUNNING:
                    self.waited += WATCH_INTERVAL
            self._look()
            if self._too_much:
                self._process.kill()
                break
