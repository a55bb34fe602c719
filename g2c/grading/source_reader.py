"""What the source of a submission says, found by a process that may be ended: no code in it is run.

For some short files Python's parser takes minutes or gigabytes: an f-string of 300,000 fields, a list of a million
numbers. So `g2c grade` itself parses nothing that a student handed in. One process reads the files of the whole class,
each under limits for processor time and memory. A file that exceeds them ends this process, and the next file gets a
new one. What comes back is plain data (wire.py).
"""

import ast
import os
import pickle
import re
import resource
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from g2c.common.framing import FrameTooLarge, receive_frame, send_frame
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.grading import wire
from g2c.grading.folders import importable_packages
from g2c.grading.notebook_code import NotANotebook, notebook_code
from g2c.grading.policy import ProcessLimits
from g2c.grading.processes import end_processes, quiet_environment, start_command
from g2c.grading.runs import fingerprint
from g2c.grading.similarity import Function, functions_in
from g2c.grading.suspicions import suspicions, suspicions_of_notebook

SECONDS = 2
"""Processor time for one file. An exercise file takes some hundredths of a second."""
MEGABYTES = 1024
MOST_WAITING = 60.0
"""Seconds by the clock, however busy the machine is."""
TOO_MUCH = f"Python's parser cannot read it within {SECONDS} seconds and {MEGABYTES:,} MB of memory"
MOST_LINES = 2000
LONGEST_LINE = 160
LINE_ENDS = re.compile(rb"\r\n|\r|\n")
"""What Python takes for the end of a line."""


@dataclass(frozen=True)
class Source:
    """What an exercise file says. Nothing where it is not valid Python."""

    suspicions: tuple[str, ...] = ()
    """Sentences about code that is worth an instructor's look."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    """The exercises' functions that are written, by qualified name, as they are compared with those of others."""
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Qualified name -> the lines of code in a function, without signature, docstring, comments and empty lines."""
    problem: str = ""
    """Why the file was not read, as the end of a sentence; "" where it was."""


def source_of(name: str, content: bytes) -> Source:
    """Read an exercise file, here and without limits.

    Args:
        name: the exercise file without ".py".
        content: the file.
    """
    try:
        tree = ast.parse(content)
        lines = _lines_of(tree, content)
        noted = tuple(suspicions(f"{name}.py", tree))
        # The comparison takes docstrings and names away, so it comes last.
        module = next((module for module in modules().values() if module.file == name), None)
        return Source(noted, functions_in(module, tree) if module else {}, lines)
    except (SyntaxError, ValueError, RecursionError):
        return Source()
    except MemoryError:
        return Source(problem=TOO_MUCH)


def _lines_of(tree: ast.Module, content: bytes) -> dict[str, tuple[str, ...]]:
    source = [line[: 4 * LONGEST_LINE].decode("utf-8", errors="replace") for line in LINE_ENDS.split(content)]
    found, room = {}, MOST_LINES
    for owner in tree.body:
        for node in owner.body if isinstance(owner, ast.ClassDef) else [owner]:
            if isinstance(node, ast.FunctionDef):
                prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                lines = source[body[0].lineno - 1 : node.end_lineno] if body else []
                kept = [line.rstrip()[:LONGEST_LINE] for line in lines if line.strip()[:1] not in ("", "#")]
                found[prefix + node.name] = tuple(kept[:room])
                room -= len(found[prefix + node.name])
    return found


class SourceReader:
    """Reads what students handed in, in a process of its own. Use as a context manager; threads may share it.

    Each file is read once, however often it is asked for.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        """Fingerprint of a question -> its answer."""
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None

    def __enter__(self) -> "SourceReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def exercise_file(self, name: str, content: bytes) -> Source:
        """What an exercise file says; see `source_of`."""
        answer = self._ask("exercise file", name, content)
        if "problem" in answer:
            return Source(problem=answer["problem"])
        return Source(
            tuple(answer["suspicions"]),
            {name: Function(*fields) for name, fields in answer["functions"].items()},
            {name: tuple(lines) for name, lines in answer["lines"].items()},
        )

    def notebook_code(self, content: bytes) -> bytes:
        """The code of a notebook that its answers may use; see `g2c.grading.notebook_code`.

        Raises:
            NotANotebook: see there, or reading it takes too long or too much memory.
        """
        answer = self._ask("notebook", "", content)
        if "problem" in answer:
            raise NotANotebook(answer["problem"])
        code: bytes = answer["code"]
        return code

    def notebook_suspicions(self, content: bytes) -> list[str]:
        """What is worth an instructor's look in the code of a notebook; nothing where it cannot be read."""
        found: list[str] = self._ask("notebook", "", content).get("suspicions", [])
        return found

    def _ask(self, kind: str, name: str, content: bytes) -> dict[str, Any]:
        key = fingerprint([kind.encode(), name.encode(), content])
        with self._lock:
            if key not in self._known:
                self._known[key] = self._answer(kind, name, content)
            return self._known[key]

    def _answer(self, kind: str, name: str, content: bytes) -> dict[str, Any]:
        if self._connection is None:
            self._connection = self._start()
        try:
            send_frame(self._connection, pickle.dumps((kind, name, content)))
            message = receive_frame(self._connection, time.monotonic() + MOST_WAITING, wire.MAX_BYTES)
            answer: dict[str, Any] = wire.unpack(message)
        except (OSError, EOFError, FrameTooLarge, MemoryError, ValueError):
            self._end()
            return {"problem": TOO_MUCH}
        return answer

    def _start(self) -> socket.socket:
        mine, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                start_command(REPOSITORY, f"from g2c.grading.source_reader import main\nmain({theirs.fileno()})"),
                cwd="/",
                env=quiet_environment(Path(tempfile.gettempdir())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return mine

    def _end(self) -> None:
        if self._process is not None and self._connection is not None:
            self._connection.close()
            end_processes(self._process)
        self._process = self._connection = None


# --- the process that reads -------------------------------------------------------------------------------------------


def main(descriptor: int) -> None:
    """Answer questions on a socket until the other side closes it.

    Args:
        descriptor: the file descriptor of the socket.
    """
    connection = socket.socket(fileno=descriptor)
    while True:
        try:
            kind, name, content = pickle.loads(receive_frame(connection))
        except EOFError:
            os._exit(0)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + 1 + SECONDS
        ProcessLimits(MEGABYTES, processor_seconds=limit).set(for_children=False)
        try:
            answer = _read_notebook(content) if kind == "notebook" else _read_exercise_file(name, content)
        except (RecursionError, MemoryError):
            answer = {"problem": TOO_MUCH}
        send_frame(connection, wire.pack(answer))


def _read_notebook(content: bytes) -> dict[str, Any]:
    try:
        code = notebook_code(content, importable_packages())
        return {"code": code, "suspicions": suspicions_of_notebook(ast.parse(code))}
    except NotANotebook as reason:
        return {"problem": str(reason)}


def _read_exercise_file(name: str, content: bytes) -> dict[str, Any]:
    source = source_of(name, content)
    if source.problem:
        return {"problem": source.problem}
    return {
        "suspicions": list(source.suspicions),
        "functions": {name: [one.size, one.exact, one.renamed] for name, one in source.functions.items()},
        "lines": {name: list(lines) for name, lines in source.lines.items()},
    }
