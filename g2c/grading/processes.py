"""The processes that grade: how they start, what they know of the instructor's machine, and how they end."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

PARENT_DEATH_SIGNAL, DUMPABLE, CHILD_SUBREAPER = 1, 4, 36
START = """
import sys
from pathlib import Path
sys.path[:] = [place for place in sys.path if not Path(place, "g2c", "__init__.py").exists()]
sys.path.insert(0, {course!r})
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
{task}
"""
"""Start of a process that grades. However the course is installed, its package is the copy and no other."""


def quiet_environment(folder: Path) -> dict[str, str]:
    """The environment of the processes that grade: nothing of the instructor's but the place of programs."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONIOENCODING": "utf-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "MPLBACKEND": "agg",
    }


def end_processes(process: subprocess.Popen) -> None:
    """Kill a process that leads a session of its own, and everything that it has started, as far as it can be found."""
    family: list[psutil.Process] = []
    try:
        family = psutil.Process(process.pid).children(recursive=True)
    except psutil.Error:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    for member in family:
        try:
            member.kill()
        except psutil.Error:
            continue
    process.wait()


def die_with_parent() -> None:
    """Linux: when the process that started this one is killed, this one is killed too."""
    _control(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def keep_to_itself() -> None:
    """Linux: other processes of this user may not look into this one, and orphans of its children come here."""
    _control(DUMPABLE, 0)
    _control(CHILD_SUBREAPER, 1)


def _control(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)
