"""The listener: a process between the test runner and the student's process, which reads what the student's code sends.

It starts and ends the student's process, waits for answers under limits of its own, and passes on only what
`wire.unpack` accepts. Whatever a submission does to the process that reads its answers, it does not reach the test
runner, where results are compared.

Every message is a frame of g2c.common.framing. The runner sends pickled tuples ("start",), ("stop",) or ("exchange",
request, seconds); the answers are dictionaries that `wire.pack` wrote.
"""

import os
import pickle
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from g2c.common.framing import receive_frame, send_frame
from g2c.common.paths import REPOSITORY
from g2c.grading import wire
from g2c.grading.policy import LISTENER, SandboxSettings
from g2c.grading.processes import die_with_parent, end_processes, protect_from_inspection, start_command
from g2c.grading.sandbox_process import ProcessEnded, ProcessStopped, SandboxProcess

MAX_NOTES = 20
"""Reports that one exchange passes on."""


class Listener:
    """The test runner's side of a listener, with the methods of the process that it looks after.

    Args:
        settings: what the student's process may use.
        report: called with each report of what the code tried.
    """

    def __init__(self, settings: SandboxSettings, report: Callable[[str], None]) -> None:
        self.settings = settings
        self.report = report
        self.generation = 0
        """How many student's processes have been started: a new one knows nothing of what the last one was sent."""
        self.processor_used = self.clock_used = 0.0
        """Seconds that all exchanges took, by the processor and by the clock."""
        self.is_running = False
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None

    def start(self) -> None:
        """Start a student's process, and the listener where there is none."""
        if self._process is None:
            self._start_listener()
        self._command(("start",))
        self.generation += 1
        self.is_running = True

    def stop(self) -> None:
        """End the student's process."""
        if self.is_running:
            self.is_running = False
            with suppress(ProcessEnded):
                self._command(("stop",))

    def close(self) -> None:
        """End the listener and the student's process."""
        self.stop()
        self._end_listener()

    def exchange(self, request: bytes, seconds: float) -> dict[str, Any]:
        """Send a request and receive its answer. When anything goes wrong, the student's process has ended.

        Raises:
            ProcessStopped: the process had to be ended.
            ProcessEnded: it ended by itself, or the listener did.
        """
        if not self.is_running:
            raise ProcessEnded(None)
        answer = self._command(("exchange", request, seconds))
        self.processor_used += answer["processor"]
        self.clock_used += answer["clock"]
        for text in answer["reports"]:
            self.report(text)
        if "answer" in answer:
            found: dict[str, Any] = answer["answer"]
            return found
        self.is_running = False
        if "stopped" in answer:
            raise ProcessStopped(*answer["stopped"])
        raise ProcessEnded(answer["ended"])

    def _command(self, command: tuple[Any, ...]) -> dict[str, Any]:
        if self._connection is None:
            raise ProcessEnded(None)
        try:
            send_frame(self._connection, pickle.dumps(command))
            answer: dict[str, Any] = wire.unpack(receive_frame(self._connection), wrapped=True)
        except (EOFError, OSError, ValueError):
            self._end_listener()
            raise ProcessEnded(None) from None
        return answer

    def _start_listener(self) -> None:
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                start_command(REPOSITORY, f"from g2c.grading.listener import main\nmain({theirs.fileno()})"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        send_frame(self._connection, pickle.dumps(self.settings))

    def _end_listener(self) -> None:
        self.is_running = False
        if self._process is not None and self._connection is not None:
            self._connection.close()
            end_processes(self._process)
            self._process = self._connection = None


def main(descriptor: int) -> None:
    """Run a listener on a socket until the test runner closes it.

    Args:
        descriptor: the file descriptor of the socket.
    """
    connection = socket.socket(fileno=descriptor)
    die_with_parent()
    protect_from_inspection()
    LISTENER.set(for_children=False)
    settings: SandboxSettings = pickle.loads(receive_frame(connection))
    reports: list[str] = []
    process = SandboxProcess(settings, reports.append)
    with suppress(EOFError):
        while True:
            answer = _answer(process, *pickle.loads(receive_frame(connection)))
            answer["reports"] = reports[:MAX_NOTES]
            reports.clear()
            send_frame(connection, wire.pack(answer))
    process.stop()
    os._exit(0)


def _answer(process: SandboxProcess, command: str, request: bytes = b"", seconds: float = 0.0) -> dict[str, Any]:
    if command == "start":
        process.start()
        return {}
    if command == "stop":
        process.stop()
        return {}
    answer: dict[str, Any]
    try:
        answer = {"answer": process.exchange(request, seconds)}
    except ProcessStopped as stopped:
        answer = {"stopped": [stopped.seconds, stopped.why]}
    except ProcessEnded as ended:
        answer = {"ended": ended.exit_code}
    return answer | {"processor": process.processor_used, "clock": process.clock_used}
