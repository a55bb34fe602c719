"""The wall around the student's process, which the kernel keeps: no capabilities, Landlock, and seccomp.

A process puts itself behind the wall before it imports the student's code, and can never leave it. The user stays the
same. Root first gives up every capability (capabilities.py): then the kernel treats it as any other user. Landlock
decides which files it may open (landlock.py), and seccomp refuses the system calls that Landlock does not see
(seccomp.py).
"""

import os
import platform
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

from g2c.grading.capabilities import give_up_capabilities
from g2c.grading.landlock import landlock_version, restrict_files
from g2c.grading.policy import Access, SandboxSettings, access_by_folder
from g2c.grading.seccomp import MACHINES, restrict_system_calls


def what_is_missing() -> str:
    """What this machine lacks for the wall, as a clause; "" if nothing."""
    if sys.platform != "linux":
        return "it does not run Linux"
    if platform.machine() not in MACHINES:
        return f"the wall is not made for {platform.machine()} processors"
    if landlock_version() < 1:
        return "its kernel has no Landlock"
    return ""


def refusal(problem: str) -> str:
    """The sentence with which grading is refused where the wall does not hold.

    Args:
        problem: why it does not, as a clause.
    """
    return (
        f"This machine cannot keep the students' code away from the marks: {problem}. Grade on Linux 5.13 or later "
        "with Landlock, or in a container, as docs/grading.md describes. --unsafe grades without isolation, and every "
        "report then says that the mark could have been forged."
    )


def restrict_this_process(settings: SandboxSettings) -> None:
    """Put this process behind the wall, for good. Does nothing where `settings.isolated` is False.

    Raises:
        OSError: the kernel refuses a part of the wall.
    """
    if not settings.isolated:
        return
    access = access_by_folder(settings)
    access[os.path.realpath("/proc/self")] = Access.READ
    # The kernel forgets a folder of /proc, and the rule for it, unless somebody has it open.
    os.open("/proc/self", os.O_PATH)
    give_up_capabilities()
    restrict_files(access)
    restrict_system_calls()


def forbidden_attempts(settings: SandboxSettings) -> list[str]:
    """What this process was able to do although it must not be. For a trial of the wall."""
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
