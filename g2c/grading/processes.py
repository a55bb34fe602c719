"""Starts, limits and ends the processes that grade."""

import ctypes
import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

PARENT_DEATH_SIGNAL = 1
FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EMFILE, errno.ENFILE, errno.EROFS}
"""Errors that mean that the machine is full or out of order, whatever the student's code does."""
MEGABYTE = 2**20
STUDENT = {resource.RLIMIT_AS: 4096 * MEGABYTE, resource.RLIMIT_FSIZE: MEGABYTE, resource.RLIMIT_NOFILE: 64}
RUNNER = {resource.RLIMIT_AS: 6144 * MEGABYTE}
"""Limits of the two kinds of processes, in bytes, and of open files."""
_START = """
import sys
sys.path.insert(0, {course!r})
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
from multiprocessing.connection import Connection
from {module} import main
main(Connection({descriptor}))
"""


def start_process(
    module: str, course: Path, folder: Path, **variables: str
) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process that calls `main` of a module with a connection. Return the process, and this end of it.

    The process leads a new session. It imports the course, or a copy, from the folder `course`, however the course is
    installed. `folder` is its current and home folder, also for temporary files. Of the instructor's environment
    variables, it gets only PATH.
    """
    mine, theirs = Pipe()
    code = _START.format(course=str(course), module=module, descriptor=theirs.fileno())
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder)}
    environment |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    environment |= {"LANG": "C.UTF-8", "TOKENIZERS_PARALLELISM": "false", "MPLBACKEND": "agg"}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", *(["-B"] if sys.dont_write_bytecode else []), "-c", code],
            cwd=folder,
            env=environment | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return process, mine


KILLED = 254
"""The error number for a process that somebody else has killed, or that could not be started."""


class MachineFault(BaseException):
    """Says that the machine ended a process, or kept it from its work, whatever code it runs. No test may catch it."""

    def __init__(self, number: int | None) -> None:
        self.errno = number


def limit_this_process(limits: Mapping[int, int]) -> None:
    """Limit this process and the processes that it starts, as far as the system can."""
    for kind, wanted in {**limits, resource.RLIMIT_CORE: 0}.items():
        hard = resource.getrlimit(kind)[1]
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


def end_processes(process_id: int) -> None:
    """Kill a child of this process and all its descendants that can be found, and wait for it."""
    import psutil  # The student's process does not need it.

    with suppress(psutil.Error):
        process = psutil.Process(process_id)
        for member in [*process.children(recursive=True), process]:
            with suppress(psutil.Error):
                member.kill()
    with suppress(ChildProcessError):  # Somebody has waited for it.
        os.waitpid(process_id, 0)


def die_with_parent() -> None:
    """Have Linux kill this process when the process that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
