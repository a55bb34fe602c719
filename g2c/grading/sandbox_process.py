"""The process that runs one student's code, seen from the test runner: start it, exchange messages with it, end it."""

import json
import pickle
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil

from g2c.common.framing import FrameTooLarge, receive_frame, send_frame
from g2c.common.paths import data_folder
from g2c.grading.policy import SandboxSettings
from g2c.grading.processes import end_processes, quiet_environment, start_command

MAX_ANSWER = 64 * 2**20
MEGABYTE = 2**20


class ProcessStopped(Exception):
    """The process had to be ended after `seconds`, for an answer of `megabytes`; 0 when no answer came."""

    def __init__(self, seconds: float, megabytes: int) -> None:
        super().__init__(seconds, megabytes)
        self.seconds = seconds
        self.megabytes = megabytes


class ProcessEnded(Exception):
    """The process ended by itself."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


@dataclass
class _Running:
    """A started process and the test runner's end of the connection to it."""

    process: subprocess.Popen[bytes]
    connection: socket.socket

    def processor_seconds(self) -> float:
        try:
            times = psutil.Process(self.process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)


class SandboxProcess:
    """At most one process at a time, started when it is needed.

    Args:
        settings: what the process may use.
        user: the user ID that it runs as; None for the user of the test runner.
        report: called with each report of the sandbox policy, as soon as it arrives.
    """

    def __init__(self, settings: SandboxSettings, user: int | None, report: Callable[[str], None]) -> None:
        self.settings = settings
        self.user = user
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
        mine, theirs = socket.socketpair()
        scratch = self.settings.scratch
        code = f"from g2c.grading.sandbox import main\nmain({theirs.fileno()})"
        with theirs:
            process = subprocess.Popen(
                start_command(self.settings.course, code),
                cwd=scratch,
                env=quiet_environment(scratch) | {"G2C_DATA": str(data_folder())},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                user=self.user,
                group=self.user,
                extra_groups=None if self.user is None else [],
            )
        self._running = _Running(process, mine)
        self.generation += 1
        with suppress(OSError):  # Where the process has ended already, the first exchange says so.
            send_frame(mine, pickle.dumps(self.settings))

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

    def exchange(self, request: bytes, seconds: float) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the process is ended.

        Raises:
            ProcessStopped: no answer came within `seconds` by the clock, or it exceeded `MAX_ANSWER`.
            ProcessEnded: the process ended, or what it sent is not an answer.
        """
        if self._running is None:
            raise ProcessEnded(None)
        running = self._running
        started, processor = time.monotonic(), running.processor_seconds()
        deadline = started + seconds
        try:
            send_frame(running.connection, request, deadline)
            answer = self._receive_answer(running.connection, deadline)
        except TimeoutError:
            self.stop()
            raise ProcessStopped(time.monotonic() - started, 0) from None
        except FrameTooLarge as error:
            self.stop()
            raise ProcessStopped(time.monotonic() - started, error.size // MEGABYTE) from None
        except (EOFError, OSError, ValueError, RecursionError):
            raise ProcessEnded(self.stop()) from None
        except BaseException:
            self.stop()
            raise
        finally:
            self.clock_used += time.monotonic() - started
        self.processor_used += max(running.processor_seconds() - processor, 0.0)
        return answer

    def _receive_answer(self, connection: socket.socket, deadline: float) -> dict[str, Any]:
        """The next message that is not a report. Reports come at once, so that nothing can take them back."""
        while True:
            message = json.loads(receive_frame(connection, deadline, MAX_ANSWER))
            if not isinstance(message, dict):
                raise ValueError("the answer is not a dictionary")
            if "report" not in message:
                return message
            self.report(str(message["report"]))
