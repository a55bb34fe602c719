"""What a submission may use: the limits of its processes, and the files that it may read and write.

The operating system enforces it (wall.py). What the student's code tries beyond that is noticed by an audit hook
and becomes a note in the report. The hook runs in the student's own process and refuses nothing.
"""

import os
import resource
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

MEGABYTE = 2**20
MAX_REPORTS = 20
MAX_REPORT = 300

SYSTEM = ("/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime")
"""Libraries that Python itself needs."""
DEVICES = ("/dev/null", "/dev/urandom")
STATUS = "/proc/self/status"
"""The file of its own in /proc that a process reads to keep its limits."""
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
ATTEMPTS = {
    "start a program": ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"),
    "start a process with fork": ("os.fork", "os.forkpty"),
    "use the network": ("socket.__new__", "socket.connect", "socket.bind", "socket.getaddrinfo"),
    "send a signal to a process": ("os.kill", "os.killpg", "signal.pthread_kill"),
    "use a system library through ctypes": ("ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function", "ctypes.cdata"),
}
"""What the code tries to do -> audit events that say so."""
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.truncate", "os.utime")
LINKS = ("os.link", "os.symlink")
"""Events whose first argument, or second, is a path that they change."""
LISTINGS = {"os.listdir", "os.scandir"}
COURSE = __name__.split(".")[0]
"""The course's top-level package."""


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of one process and those that it starts. None sets no limit."""

    megabytes: int
    processor_seconds: int | None = None
    file_megabytes: int | None = None
    open_files: int | None = None

    def set(self) -> None:
        """Limit this process. A limit that the system does not know is left out."""
        for name, wanted in (
            ("RLIMIT_AS", self.megabytes * MEGABYTE),
            ("RLIMIT_CPU", self.processor_seconds),
            ("RLIMIT_FSIZE", self.file_megabytes and self.file_megabytes * MEGABYTE),
            ("RLIMIT_NOFILE", self.open_files),
            ("RLIMIT_CORE", 0),
        ):
            kind = getattr(resource, name, None)
            if kind is None or wanted is None:
                continue
            hard = resource.getrlimit(kind)[1]
            limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (limit, limit))


STUDENT = ProcessLimits(4096, processor_seconds=300, file_megabytes=1, open_files=64)
RUNNER = ProcessLimits(6144)
MAX_FILES = 64
"""How many files there may be in the scratch folder, which can hold no folders."""
MAX_THREADS = 100
"""The system has room for some ten thousand, which all processes share."""


@dataclass(frozen=True)
class SandboxSettings:
    """What one student's process may use."""

    course: Path
    """The student's copy of the course, which may be read."""
    scratch: Path
    """The only folder that may be written to."""
    hidden: tuple[Path, ...]
    """Files and folders with the answer key, the tests, or the work of others, also those that do not exist yet. They
    may not be read, even inside a folder that may."""
    packages: tuple[str, ...]
    """The packages of the course that may be imported."""
    exercise_files: tuple[str, ...]
    """The files that students write, relative to `course`."""
    isolated: bool = True
    """Whether the process puts itself behind the wall; otherwise limits alone hold."""
    key_code: str = ""
    """The answer key's code for some exercises of a file; see `g2c.grading.constants.key_code`."""


class Access(Enum):
    NONE = 0
    READ = 1
    WRITE = 2


def access_rules(settings: SandboxSettings) -> Iterator[tuple[str, Access]]:
    """(path, what may be done there). The innermost rule for a path counts; among rules for the same path, the last."""
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    # The course itself is in the path of the process that asks.
    python |= {place for place in sys.path if os.path.isabs(place) and not os.path.exists(os.path.join(place, COURSE))}
    for path in (*SYSTEM, *DEVICES, *sorted(python)):
        yield path, Access.READ
    # However the course was installed, only the student's copy of it may be read.
    installed = (os.path.join(place, COURSE) for place in sorted(python))
    for path in (*filter(os.path.exists, installed), *map(str, settings.hidden)):
        yield path, Access.NONE
    yield str(settings.course), Access.READ
    yield str(settings.course / COURSE), Access.READ
    yield str(settings.scratch), Access.WRITE
    yield "/dev/null", Access.WRITE


def access_by_folder(settings: SandboxSettings) -> dict[str, Access]:
    """The rules of `access_rules`, by resolved path."""
    return {os.path.realpath(path): access for path, access in access_rules(settings)}


class AttemptReporter(MetaPathFinder):
    """Notices, from `start` on, what the student's code tries beyond what it may use.

    Args:
        settings: what may be used.
        report: called with what was tried, as the end of a sentence: "tried to read /etc/shadow".
    """

    def __init__(self, settings: SandboxSettings, report: Callable[[str], None]) -> None:
        self.access = access_by_folder(settings)
        self.attempts = {event: attempt for attempt, events in ATTEMPTS.items() for event in events}
        self.reported: set[str] = set()
        self._report = report
        # What the limits read in every call. Everything else is resolved first.
        self._own_state = {STATUS, os.path.realpath(STATUS)}

    def start(self) -> None:
        sys.meta_path.append(self)
        sys.addaudithook(self._hook)

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        """Called last, for a module that is not there: of the course, the student's copy has only a part."""
        if name.startswith(f"{COURSE}."):
            self.report(f"tried to import {name}")

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            self._check_path(path, bool((flags or 0) & WRITE_FLAGS))
        elif event in CHANGES or event in LINKS:
            self._check_path(arguments[event in LINKS], True)
        elif event in LISTINGS:
            self._check_path(arguments[0] or ".", False)
        elif event in self.attempts:
            self.report(f"tried to {self.attempts[event]} ({event})")

    def _check_path(self, path: Any, writing: bool) -> None:
        if isinstance(path, int) or (type(path) is str and path in self._own_state and not writing):
            return
        real = os.fsdecode(path)
        with suppress(OSError):  # Where the system does not let this process follow a link, the path is as it is given.
            real = os.path.realpath(real)
        access = self._access_to(real)
        if access is Access.NONE or (writing and access is not Access.WRITE):
            self.report(f"tried to {'change' if writing else 'read'} {real}")

    def _access_to(self, real: str) -> Access:
        """The access to a resolved path: that of the innermost folder which has a rule."""
        folder = real
        while folder not in self.access and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        return self.access.get(folder, Access.NONE)

    def report(self, action: str) -> None:
        """Report an action of the student's code, each one once."""
        action = action[:MAX_REPORT]
        if action not in self.reported and len(self.reported) < MAX_REPORTS:
            self.reported.add(action)
            self._report(action)
