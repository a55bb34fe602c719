"""The sandbox policy: operating-system limits, and an audit hook that refuses what a submission may not do.

The limits bound processor time, memory, file sizes, open files and processes. The audit hook refuses to import other
parts of the course, to start programs, to use the network, to send signals, to write outside the scratch folder, and to
read anything but the student's copy of the course, the corpora and Python itself. It reports every refusal.

The hook runs in the student's own process, so a determined attacker can get around it. That gives no better marks by
itself, because marks are computed in another process; and on Linux the kernel refuses to open files and to start
programs as well (landlock.py).
"""

import os
import resource
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import psutil

MEGABYTE = 2**20
PROCESSOR_SECONDS = 300
MEMORY = 4096 * MEGABYTE
FILE_SIZE = 16 * MEGABYTE
OPEN_FILES = 64
PROCESSES = 64
FORKS = 3
MAX_REPORTS = 20

READABLE = ("/usr", "/lib", "/lib64", "/etc", "/sys", "/dev/null", "/dev/urandom", "/System", "/Library")
PROCESS_FILES = {"stat", "statm", "status", "schedstat"}
"""Files of its own in /proc that a process may read; the limits need them. `environ`, `cwd` and `maps` name folders of
the instructor's machine."""
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn"}
NETWORK = {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
SIGNALS = {"os.kill", "os.killpg", "signal.pthread_kill"}
NATIVE_CODE = {"ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function", "ctypes.cdata", "ctypes.string_at"}
CHANGES = {
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.link": 2,
    "os.symlink": 2,
    "os.chmod": 1,
    "os.chown": 1,
    "os.truncate": 1,
    "os.utime": 1,
    "shutil.rmtree": 1,
    "shutil.move": 2,
    "sqlite3.connect": 1,
}
"""Event -> how many of its first arguments are paths that it changes."""
LISTINGS = {"os.listdir", "os.scandir"}
UNAUDITED = {"readline", "_posixsubprocess"}
"""Extension modules that open files or start programs without an audit event."""
COURSE = __name__.split(".")[0]
"""The course's top-level package."""


def set_limits() -> None:
    """Set limits that cannot be raised again. Where a system does not know one, the others hold."""
    for name, wanted in (
        ("RLIMIT_CPU", PROCESSOR_SECONDS),
        ("RLIMIT_AS", MEMORY),
        ("RLIMIT_FSIZE", FILE_SIZE),
        ("RLIMIT_NOFILE", OPEN_FILES),
        ("RLIMIT_NPROC", _processes_of_this_user() + PROCESSES),
        ("RLIMIT_CORE", 0),
    ):
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(kind, (limit, limit))
        except (ValueError, OSError):
            continue


def _processes_of_this_user() -> int:
    """Processes and threads of this user: the limit on processes counts them all."""
    count = 0
    for process in psutil.process_iter():
        try:
            if process.uids().real == os.getuid():
                count += process.num_threads()
        except psutil.Error:
            continue
    return count


@dataclass(frozen=True)
class SandboxSettings:
    """What one student's process may use."""

    course: Path
    """The student's copy of the course, which may be read."""
    scratch: Path
    """The only folder that may be written to."""
    data: Path
    """The corpora, which may be read."""
    hidden: tuple[Path, ...]
    """Folders with the answer key or the tests. They may not be read, even inside a folder that may."""
    packages: tuple[str, ...]
    """The packages of the course that may be imported."""
    exercise_files: tuple[str, ...]
    """The files that students write, relative to `course`."""


class Access(Enum):
    NONE = 0
    READ = 1
    WRITE = 2


class SandboxPolicy:
    """The audit hook and the import finder of this process, from `enforce` on.

    Args:
        settings: what may be used.
        report: called with what was refused, as the end of a sentence: "tried to read /etc/shadow".
    """

    def __init__(self, settings: SandboxSettings, report: Callable[[str], None]) -> None:
        self.packages = settings.packages
        self.access = _access_by_folder(settings)
        self.owner = os.getpid()
        self.forks = 0
        self.reported: set[str] = set()
        self._report = report

    def enforce(self) -> None:
        """Refuse everything else from now on, and forget the loaded modules that may not be imported."""
        for name in [name for name in sys.modules if not self._may_import(name)]:
            module = sys.modules.pop(name)
            parent, _, child = name.rpartition(".")
            if getattr(sys.modules.get(parent), child, None) is module:
                delattr(sys.modules[parent], child)
        sys.meta_path.insert(0, _RefusingFinder(self))
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            self._check_path(path, bool((flags or 0) & WRITE_FLAGS), opens=True)
        elif event == "import":
            self.check_import(*arguments[:2])
        elif event in CHANGES:
            for path in arguments[: CHANGES[event]]:
                self._check_path(path, True)
        elif event in LISTINGS:
            self._check_path(arguments[0] or ".", False)
        elif event in PROGRAMS:
            self._refuse(f"tried to start a program ({event})")
        elif event in NETWORK:
            self._refuse(f"tried to use the network ({event})")
        elif event in SIGNALS:
            self._refuse(f"tried to send a signal to a process ({event})")
        elif event in NATIVE_CODE:
            self._refuse(f"tried to use a system library through ctypes ({event})")
        elif event in ("os.fork", "os.forkpty"):
            self._check_fork()

    def _check_fork(self) -> None:
        self.report("started a process with fork; it was ended with the rest")
        self.forks += 1
        if os.getpid() != self.owner or self.forks > FORKS:
            self._refuse("tried to start more processes than are allowed")

    # --- imports ------------------------------------------------------------------------------------------------------

    def check_import(self, name: str, file: str | None = None) -> None:
        """Refuse modules of the course outside the packages that may be imported, and native code from elsewhere.

        Raises:
            ModuleNotFoundError: `name` may not be imported.
            PermissionError: `file`, the extension module to load, lies where the student's code could have written it.
        """
        if not self._may_import(name):
            self.report(f"tried to import {name}")
            raise ModuleNotFoundError(f"No module named {name!r} while a submission is graded", name=name)
        if file is not None and self._access_to(os.path.realpath(file)) is not Access.READ:
            self._refuse(f"tried to load native code from {file}")

    def _may_import(self, name: str) -> bool:
        if not name.startswith(f"{COURSE}."):
            return name not in UNAUDITED
        return any(f"{name}.".startswith(f"{package}.") for package in self.packages)

    # --- files --------------------------------------------------------------------------------------------------------

    def _check_path(self, path: Any, writing: bool, opens: bool = False) -> None:
        if isinstance(path, int):
            return
        real = _resolve(os.fsdecode(path))
        access = self._access_to(real)
        if access is Access.NONE or (writing and access is not Access.WRITE):
            self._refuse(f"tried to {'change' if writing else 'read'} {real}")
        if opens and os.path.isdir(real):
            # With the descriptor of a folder, os.open reaches paths that the audit event does not show.
            self._refuse(f"tried to open the folder {real}")

    def _access_to(self, real: str) -> Access:
        """The access to a resolved path: that of the innermost folder which has a rule."""
        folder = real
        while folder not in self.access:
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent
        if folder in self.access:
            return self.access[folder]
        own = real.startswith(f"/proc/{os.getpid()}/") and os.path.basename(real) in PROCESS_FILES
        return Access.READ if own else Access.NONE

    # --- reports ------------------------------------------------------------------------------------------------------

    def _refuse(self, action: str) -> None:
        self.report(action)
        raise PermissionError(f"A submission may not do this while it is graded: it {action}.")

    def report(self, action: str) -> None:
        """Report an action of the student's code, each one once."""
        if action not in self.reported and len(self.reported) < MAX_REPORTS:
            self.reported.add(action)
            self._report(action)


class _RefusingFinder(MetaPathFinder):
    """First in `sys.meta_path`: refuses the imports that raise no audit event, such as `importlib.import_module`."""

    def __init__(self, policy: SandboxPolicy) -> None:
        self.policy = policy

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        self.policy.check_import(name)


def _resolve(path: str) -> str:
    """The path without symbolic links; as it is given where the system does not let this process follow them."""
    try:
        return os.path.realpath(path)
    except OSError:
        return os.path.abspath(path)


def _access_by_folder(settings: SandboxSettings) -> dict[str, Access]:
    """Folder or file -> what the student's code may do there. For a path inside several, the innermost one counts."""
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values(), *filter(None, sys.path)}
    # However the course was installed, only the student's copy of it may be read.
    installed = [os.path.join(place, COURSE) for place in python]
    rules: list[tuple[Access, Iterable[str | Path]]] = [
        (Access.READ, [*READABLE, *python]),
        (Access.NONE, [*installed, *settings.hidden]),
        (Access.READ, [settings.course, settings.course / COURSE, settings.data]),
        (Access.WRITE, [settings.scratch, "/dev/null"]),
    ]
    return {os.path.realpath(path): access for access, paths in rules for path in paths}
