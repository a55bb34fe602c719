"""What surrounds the student's code: limits that the operating system keeps, and an audit hook that says no.

The limits bound processor time, memory, file sizes, open files and processes. The hook refuses to start programs, to
use the network, to send signals, to write outside the scratch folder and to read anything but the course's copy and
Python itself; it also notes what was tried. Code that is clever enough can get around a hook inside its own process.
That opens it no way to better marks, which are given in another process, and the limits stay.
"""

import os
import resource
import sys
import sysconfig
from pathlib import Path

MEGABYTE = 2**20
PROCESSOR_SECONDS = 300
MEMORY = 4096 * MEGABYTE
FILE_SIZE = 16 * MEGABYTE
OPEN_FILES = 64
PROCESSES = 64
FORKS = 3
NOTES = 20

READABLE = ("/usr", "/lib", "/lib64", "/etc", "/sys", "/dev/null", "/dev/urandom", "/System", "/Library")
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn"}
NETWORK = {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
SIGNALS = {"os.kill", "os.killpg", "signal.pthread_kill"}
LIBRARIES = {"ctypes.dlopen", "ctypes.dlsym"}
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
}
"""Event -> how many of its first arguments are paths that it changes."""
LOOKS = {"os.listdir", "os.scandir"}


def set_limits() -> None:
    """Limits that cannot be raised again. Where a system does not know one, the others hold."""
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
    """The limit on processes counts everything that the user runs, threads too."""
    import psutil

    count = 0
    for process in psutil.process_iter():
        try:
            if process.uids().real == os.getuid():
                count += process.num_threads()
        except psutil.Error:
            continue
    return count


class Fence:
    """The audit hook of this process, from `raise_up` on.

    Args:
        course: the folder of the course's copy, which may be read.
        scratch: the folder that may be written to.
        data: the corpora, which may be read.
    """

    def __init__(self, course: Path, scratch: Path, data: Path) -> None:
        python = {
            sys.prefix,
            sys.base_prefix,
            sys.exec_prefix,
            *sysconfig.get_paths().values(),
            *filter(None, sys.path),
        }
        self.readable = tuple(
            os.path.realpath(path) for path in (course, scratch, data, f"/proc/{os.getpid()}", *READABLE, *python)
        )
        self.writable = (os.path.realpath(scratch), "/dev/null")
        self.owner = os.getpid()
        self.forks = 0
        self.notes: list[str] = []

    def raise_up(self) -> None:
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(path, int):
                self._check_path(path, bool((flags or 0) & WRITE_FLAGS))
        elif event in CHANGES:
            for path in arguments[: CHANGES[event]]:
                self._check_path(path, True)
        elif event in LOOKS:
            self._check_path(arguments[0] or ".", False)
        elif event in PROGRAMS:
            self._refuse(f"tried to start a program ({event})")
        elif event in NETWORK:
            self._refuse(f"tried to use the network ({event})")
        elif event in SIGNALS:
            self._refuse(f"tried to send a signal to a process ({event})")
        elif event in LIBRARIES:
            self._refuse(f"tried to load a library of the system ({event})")
        elif event in ("os.fork", "os.forkpty"):
            self._fork()

    def _fork(self) -> None:
        self.note("started a process of its own with fork; it was ended with the rest")
        self.forks += 1
        if os.getpid() != self.owner or self.forks > FORKS:
            self._refuse("tried to start more processes than are allowed")

    def _check_path(self, path: object, writing: bool) -> None:
        if isinstance(path, int):
            return
        real = os.path.realpath(os.fsdecode(path))
        allowed = self.writable if writing else self.readable
        if not any(real == folder or real.startswith(folder.rstrip("/") + "/") for folder in allowed):
            self._refuse(f"tried to {'change' if writing else 'read'} {real}")

    def _refuse(self, what: str) -> None:
        self.note(what)
        raise PermissionError(f"While a submission is graded, it may not do this: it {what}.")

    def note(self, what: str) -> None:
        if what not in self.notes and len(self.notes) < NOTES:
            self.notes.append(what)
