"""Isolation of the student's process by the operating system, in the best way that works on this machine.

    bubblewrap    a view of the disk with Python and the student's copy of the course alone, without network and other
                  processes; needs no root
    landlock      Linux's Landlock decides about files; as root, the process also gets a user of its own
    sandbox-exec  the sandbox of macOS
    user          a user of its own, as root: in a container that exists for this submission alone

On Linux, the process also gives up the system calls of seccomp.py, and Landlock is used inside bubblewrap where there
is one. A way counts only after a trial on this machine, in which a process tries what it must not be able to do.
"""

import os
import shutil
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from g2c.common.errors import CourseError
from g2c.grading.landlock import restrict_files
from g2c.grading.policy import Access, SandboxSettings, access_by_folder, access_rules
from g2c.grading.seccomp import restrict_system_calls

FIRST_USER = 61_184
"""As root, each student's code runs as a user of its own, from this number on, who owns nothing else."""


@dataclass(frozen=True)
class Isolation:
    """One way to keep a student's process from everything else. `own_user`: it runs as a user of its own."""

    name: str
    own_user: bool = False

    def user(self, job: int) -> int | None:
        """The user ID for the process of a job; None for the user who grades."""
        return FIRST_USER + job if self.own_user else None


NONE = Isolation("none")
"""Limits alone: code written for the purpose can forge a mark."""


def candidates(*, container: bool = False) -> list[Isolation]:
    """The ways that this system may have, the best first.

    Args:
        container: this is a container that exists for one submission alone.
    """
    is_root = os.geteuid() == 0
    if sys.platform == "darwin":
        return [Isolation("sandbox-exec")] if shutil.which("sandbox-exec") else []
    found = [Isolation("bubblewrap")] if shutil.which("bwrap") else []
    if sys.platform == "linux":
        found.append(Isolation("landlock", own_user=is_root))
        if is_root and container:
            found.append(Isolation("user", own_user=True))
    return found


def choose(candidates: Sequence[Isolation], trial: Callable[[Isolation], str]) -> Isolation:
    """The first way that passes its trial.

    Args:
        candidates: the ways, the best first.
        trial: returns what went wrong, "" if nothing.

    Raises:
        CourseError: none does.
    """
    problems = []
    for candidate in candidates:
        problem = trial(candidate)
        if not problem:
            return candidate
        problems.append(f"{candidate.name}: {problem}")
    tried = f" ({'; '.join(problems)})" if problems else ""
    raise CourseError(
        f"Nothing on this machine keeps the students' code away from the marks{tried}. Install bubblewrap, or grade as "
        "an ordinary user on Linux 5.13 or later; --unsafe grades without isolation, and every report then says that "
        "the mark could have been forged."
    )


# --- how the process starts -------------------------------------------------------------------------------------------


def isolated_command(settings: SandboxSettings, command: list[str]) -> list[str]:
    """The command line that starts a process in its isolation."""
    if settings.isolation == "bubblewrap":
        return [*_bubblewrap(settings), *command]
    if settings.isolation == "sandbox-exec":
        return ["sandbox-exec", "-p", mac_profile(settings), *command]
    return command


def _bubblewrap(settings: SandboxSettings) -> list[str]:
    """See bwrap(1). Binds are made in the order of their depth, so that an inner rule changes an outer one."""
    command = ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
    command += ["--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    rules = {os.path.abspath(path): access for path, access in access_rules(settings)}
    rules = {**rules, **access_by_folder(settings)}
    bound: list[str] = []
    for path in sorted(rules, key=lambda path: path.count("/")):
        inside = any(path.startswith(f"{folder}/") for folder in bound)
        if path.startswith("/dev/") or not os.path.exists(path) or (inside and os.path.islink(path)):
            continue
        if rules[path] is Access.NONE:
            command += ["--tmpfs", path] if inside and os.path.isdir(path) else []
        else:
            command += ["--ro-bind" if rules[path] is Access.READ else "--bind", os.path.realpath(path), path]
            bound.append(path)
    return [*command, "--remount-ro", "/", "--chdir", str(settings.scratch), "--"]


def mac_profile(settings: SandboxSettings) -> str:
    """The profile for sandbox-exec of macOS: of several rules for an operation, the last one counts."""
    lines = ["(version 1)", "(deny default)", "(allow sysctl-read)", "(allow mach-lookup)"]
    lines.append("(allow file-read-metadata)")
    lines.append(f"(allow process-exec (literal {_quoted(os.path.realpath(sys.executable))}))")
    lines.append(f"(allow process-exec (literal {_quoted(sys.executable)}))")
    lines.append("(allow signal (target self))")
    rules = access_by_folder(settings)
    for path in sorted(rules, key=lambda path: path.count("/")):
        place = f"(subpath {_quoted(path)})"
        if rules[path] is Access.NONE:
            lines.append(f"(deny file-read* file-write* {place})")
        else:
            lines.append(f"(allow file-read* {place})")
        if rules[path] is Access.WRITE:
            lines.append(f"(allow file-write* {place})")
    return "\n".join(lines)


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# --- in the started process -------------------------------------------------------------------------------------------


def restrict_this_process(settings: SandboxSettings) -> None:
    """Give up, in the student's process, what the kernel can be asked to refuse.

    Raises:
        OSError: a restriction that the way of isolation consists of is not there.
    """
    if settings.isolation == "none":
        return
    access = access_by_folder(settings)
    if sys.platform == "linux":
        access[os.path.realpath("/proc/self")] = Access.READ
        # The kernel forgets a folder of /proc, and the rule for it, unless somebody has it open.
        os.open("/proc/self", os.O_PATH)
    has_landlock = restrict_files(access)
    has_seccomp = restrict_system_calls()
    if settings.isolation == "landlock" and not has_landlock:
        raise OSError("this kernel has no Landlock")
    if settings.isolation in ("landlock", "user") and not has_seccomp:
        raise OSError("this kernel has no seccomp")


def forbidden_attempts(settings: SandboxSettings) -> list[str]:
    """What this process was able to do although it must not be. For the trial of a way of isolation."""
    outside = settings.course.parent
    (settings.scratch / "allowed").write_bytes(b"")
    found = []
    attempts: dict[str, Callable[[], object]] = {
        "reads hidden files": (outside / "hidden" / "secret").read_bytes,
        "writes outside its folder": lambda: (outside / "written").write_bytes(b""),
        "changes its copy of the course": lambda: (settings.course / "written").write_bytes(b""),
        "starts processes": _fork,
        "opens sockets": _connect,
        "sends signals": lambda: os.kill(os.getppid(), 0),
    }
    for what, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        found.append(what)
    return found


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _connect() -> None:
    with suppress(ConnectionRefusedError):  # Somebody answered.
        socket.create_connection(("127.0.0.1", 9), timeout=1).close()
