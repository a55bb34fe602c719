"""The processes that grade: how they start, what they know of the instructor's machine, and how they end."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

PARENT_DEATH_SIGNAL, DUMPABLE, CHILD_SUBREAPER = 1, 4, 36
_START = """
import sys
from pathlib import Path
def is_checkout(place):
    return Path(place, "g2c", "__init__.py").exists() and Path(place, "pyproject.toml").exists()
sys.path[:] = [{course!r}, *(place for place in sys.path if not is_checkout(place))]
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
{task}
"""


def start_command(course: Path, task: str) -> list[str]:
    """The command line of a process that grades. However the course is installed, Python finds it in `course`.

    Args:
        course: the folder of a copy of the course.
        task: the Python code to run.
    """
    return [sys.executable, "-I", "-B", "-c", _START.format(course=str(course), task=task)]


def quiet_environment(folder: Path) -> dict[str, str]:
    """The environment of the processes that grade: of the instructor's variables, it has only PATH."""
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


def end_processes(process: subprocess.Popen[bytes]) -> None:
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
    """Linux: have this process killed when the process that started it ends."""
    _control(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def protect_from_inspection() -> None:
    """Linux: keep other processes of this user from inspecting this one, and adopt the orphans of its children."""
    _control(DUMPABLE, 0)
    adopt_orphans()


def adopt_orphans() -> None:
    """Linux: become the parent of processes that children of this one leave behind."""
    _control(CHILD_SUBREAPER, 1)


def _control(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)
