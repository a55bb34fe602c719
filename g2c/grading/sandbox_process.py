"""The process that runs one student's code, seen from the listener: start it, exchange messages with it, end it."""

import os
import pickle
import select
import socket
import subprocess
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
from g2c.grading.isolation import isolated_command
from g2c.grading.policy import SCRATCH_FILES, SCRATCH_MEGABYTES, SandboxSettings
from g2c.grading.processes import end_processes, quiet_environment, start_command

MEGABYTE = 2**20
MAX_REPORTS = 1000
"""More reports than that before one answer are not from this course's code."""
QUOTA_INTERVAL = 0.1
"""Seconds between two looks at the scratch folder."""


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
    _python: psutil.Process | None = field(default=None)

    def processor_seconds(self) -> float:
        """What the student's process has used since it started; 0 before it has answered for the first time."""
        if not self.has_answered:
            return 0.0
        try:
            if self._python is None:
                # It may be a child of the program that isolates it.
                started = psutil.Process(self.process.pid)
                self._python = [started, *started.children(recursive=True)][-1]
            times = self._python.cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)


class SandboxProcess:
    """At most one process at a time, started when it is needed.

    Args:
        settings: what the process may use.
        report: called with each report of what the code tried, as soon as it arrives.
    """

    def __init__(self, settings: SandboxSettings, report: Callable[[str], None]) -> None:
        self.settings = settings
        self.report = report
        self.processor_used = self.clock_used = 0.0
        """Seconds that the last exchange took, by the processor and by the clock."""
        self._running: _Running | None = None

    def start(self) -> None:
        """Start a process with an empty scratch folder."""
        empty_folder(self.settings.scratch)
        mine, theirs = socket.socketpair()
        settings, user = self.settings, self.settings.user
        code = f"from g2c.grading.sandbox import main\nmain({theirs.fileno()})"
        with theirs:
            process = subprocess.Popen(
                isolated_command(settings, start_command(settings.course, code)),
                cwd=settings.scratch,
                env=quiet_environment(settings.scratch),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                user=user,
                group=user,
                extra_groups=None if user is None else [],
            )
        self._running = _Running(process, mine)
        with suppress(OSError):  # Where the process has ended already, the first exchange says so.
            send_frame(mine, pickle.dumps(settings))

    def stop(self) -> int | None:
        """End the process and everything that it has started. Returns its exit code; None without a process."""
        if self._running is None:
            return None
        process = self._running.process
        self._running.connection.close()
        try:
            # A process that ends by itself is worth a moment's wait: its exit code says more.
            process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            pass
        end_processes(process)
        self._running = None
        return process.returncode

    def exchange(self, request: bytes | None, seconds: float) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the process is ended.

        Args:
            request: None receives an answer that comes without a request.
            seconds: how long to wait, by the clock.

        Raises:
            ProcessStopped: no answer came within `seconds`, it exceeds the bounds of an answer, or the files in the
                scratch folder exceed their quota.
            ProcessEnded: the process ended, or what it sent is not an answer.
        """
        if self._running is None:
            raise ProcessEnded(None)
        running = self._running
        started, processor = time.monotonic(), running.processor_seconds()
        deadline = started + seconds
        self.processor_used = self.clock_used = 0.0
        try:
            if request is not None:
                send_frame(running.connection, request, deadline)
            answer = self._receive_answer(running.connection, deadline)
            running.has_answered = True
        except TimeoutError:
            self.stop()
            raise ProcessStopped(time.monotonic() - started) from None
        except _QuotaExceeded:
            self.stop()
            raise ProcessStopped(
                time.monotonic() - started,
                f"its files exceed {SCRATCH_MEGABYTES} MB, or there are more than {SCRATCH_FILES:,} of them",
            ) from None
        except (FrameTooLarge, MemoryError):
            self.stop()
            raise ProcessStopped(
                time.monotonic() - started, f"its answer exceeds {wire.MAX_BYTES // MEGABYTE} MB"
            ) from None
        except (EOFError, OSError, ValueError):
            raise ProcessEnded(self.stop()) from None
        except BaseException:
            self.stop()
            raise
        finally:
            self.clock_used = time.monotonic() - started
        self.processor_used = max(running.processor_seconds() - processor, 0.0)
        return answer

    def _receive_answer(self, connection: socket.socket, deadline: float) -> dict[str, Any]:
        """The next message that is not a report. Reports come at once, so that nothing can take them back."""
        for _ in range(MAX_REPORTS):
            while not select.select([connection], [], [], QUOTA_INTERVAL)[0]:
                if time.monotonic() > deadline:
                    raise TimeoutError
                self._check_quota()
            message = wire.unpack(receive_frame(connection, deadline, wire.MAX_BYTES))
            if not isinstance(message, dict):
                raise wire.NotPlainData("the answer is not a dictionary")
            if "report" not in message:
                return message
            self.report(str(message["report"]))
        raise wire.NotPlainData("too many reports")

    def _check_quota(self) -> None:
        size = count = 0
        folders = [str(self.settings.scratch)]
        while folders:
            with suppress(OSError), os.scandir(folders.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
                    if count > SCRATCH_FILES or size > SCRATCH_MEGABYTES * MEGABYTE:
                        raise _QuotaExceeded


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


class _QuotaExceeded(Exception):
    """The files in the scratch folder are too many or too large."""
