"""Finds the wall around a pupil's process, which others have built: bubblewrap, or the container around everything.

Bubblewrap (https://github.com/containers/bubblewrap) shows the process a file system of its own: Python and its
packages, read-only, one copy of the course without answers, and an empty folder to write to. It has no network and sees
no other process. In a container, such as Gradescope's, root grades, and other users run the processes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY

NOBODY, USERS = 65534, 2**15
SCRATCH_BYTES = 64 * 2**20
CONTAINERS = ("/.dockerenv", "/run/.containerenv", "/autograder")
"""Files of Docker and Podman, and Gradescope's folder."""
RAN = f"Students' code ran under Python {sys.version_info.major}.{sys.version_info.minor}"
"""How every report begins: code for a later version may lose points here."""
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
INSTALL = "Install bubblewrap (`sudo apt install bubblewrap`, or your system's package of this name)"


@dataclass(frozen=True)
class Wall:
    """Starts a pupil's process with what separates it from the rest of the machine."""

    name: str
    """"bubblewrap", "container" or "none"."""
    sentence: str
    """What reports and `g2c doctor` say."""
    user: int | None = None
    """The highest of the users that run the processes, if these are others: one of its own for each examiner."""

    def start(self, command: list[str], course: Path, descriptor: int) -> subprocess.Popen[bytes]:
        """Start a process behind the wall, with a copy of the course, an empty folder, and this file descriptor."""
        scratch = course.parent / "scratch"
        home = str(scratch)
        if self.name == "bubblewrap":
            home = "/tmp"
            readable = ["--ro-bind", str(course), str(course), "--remount-ro", "/", "--remount-ro", "/dev"]
            command = [*_box(), *readable, "--chdir", home, *command]
        else:
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(mode=0o700)
        # A user may end all its processes, so it must have none that runs another submission.
        user = None if self.user is None else self.user - os.getpid() % USERS
        if user is not None:
            os.chown(scratch, user, user)
        return subprocess.Popen(
            command,
            # A submission that depends on the order of a set has the same points each time.
            env=clean_environment(HOME=home, TMPDIR=home, PYTHONHASHSEED="0"),
            cwd=None if self.name == "bubblewrap" else scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[descriptor],
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )


def clean_environment(**variables: str) -> dict[str, str]:
    """Make an environment with these variables, and none of the instructor's but PATH. Libraries start no threads."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    own = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TOKENIZERS_PARALLELISM": "false"}
    return {**own, **threads, **variables}


@cache
def wall_here() -> Wall:
    """Find the best wall that this machine has, by trying it."""
    problem = "bubblewrap is not installed"
    if shutil.which("bwrap"):
        done = subprocess.run([*_box(), sys.executable, "-I", "-c", ""], capture_output=True, text=True)
        if done.returncode == 0:
            return Wall("bubblewrap", f"{RAN} inside bubblewrap, without answers, network or other files.")
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        problem = f"bubblewrap is installed, but not permitted to isolate processes here ({reason})"
    if os.geteuid() == 0 and any(map(os.path.exists, CONTAINERS)):
        if _runs_as(NOBODY):
            return Wall("container", f"{RAN} by a user of its own in this container; {problem}.", NOBODY)
        problem += ", and no other user can run students' code in this container"
    open_to = "read answers and other files, use the network and change marks"
    return Wall("none", f"{RAN}, and could {open_to}; {problem}.")


def require_wall(*, trust: bool) -> Wall:
    """Return the wall of this machine. CourseError: it has none, and the code that is graded is not trusted."""
    wall = wall_here()
    if wall.name == "none" and not trust:
        raise CourseError(
            f"Nothing on this machine separates students' code from the answer key, other files, the network and the "
            f"marks. {INSTALL}, or grade in a container, as docs/grading.md describes. With --trust, only time and "
            "memory are limited, and every report says so."
        )
    return wall


def _runs_as(user: int) -> bool:
    """Say whether this user can run Python here, and reach the folder in which submissions run."""
    code = "import msgpack, os, sys; os.stat(os.path.join(sys.argv[1], '.'))"
    command = [sys.executable, "-I", "-c", code, tempfile.gettempdir()]
    try:
        done = subprocess.run(command, user=user, group=user, extra_groups=[], cwd="/", capture_output=True)
    except OSError:
        return False
    return done.returncode == 0


@cache
def _box() -> list[str]:
    """Return the command of bubblewrap, up to the program that it runs."""
    program = shutil.which("bwrap") or "bwrap"
    # Python also looks in other folders, such as the current one, where an instructor's files are.
    packages = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    needed = {*SYSTEM, sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix), *packages}
    # The environment's Python may be a link to a link in another folder, such as ~/.local/bin.
    python = sys.executable
    while os.path.islink(python):
        python = os.path.join(os.path.dirname(python), os.readlink(python))
        needed.add(os.path.dirname(python))
    needed = set(filter(os.path.exists, needed))
    inside = {path for path in needed if Path(path).is_relative_to(REPOSITORY)}
    sized = "--size" in subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    box = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    box += [*(["--size", str(SCRATCH_BYTES)] if sized else []), "--tmpfs", "/tmp"]
    for path in sorted(needed - inside):
        box += ["--ro-bind", path, path]
    # The course's folder is empty there, but for an environment in it.
    box += ["--tmpfs", str(REPOSITORY)]
    for path in sorted(inside):
        box += ["--ro-bind", path, path]
    return box
