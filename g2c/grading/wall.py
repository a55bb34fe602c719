"""The wall around the student's process, which the kernel keeps: no capabilities, Landlock, and seccomp.

A process puts itself behind the wall before it imports the student's code, and can never leave it. The user stays the
same. Root first gives up every capability, and then the kernel treats it as any other user: see capabilities(7).
Landlock, from Linux 5.13 on, decides which files a process may open, and in later versions keeps it from other
processes and the network: https://docs.kernel.org/userspace-api/landlock.html. Seccomp refuses the system calls that
Landlock does not see (seccomp.py).
"""

import ctypes
import os
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from g2c.grading.protocol import Target
from g2c.grading.seccomp import MACHINES, NO_NEW_PRIVILEGES, restrict_system_calls

AMBIENT, CLEAR_ALL, DROP_FROM_BOUNDING_SET, SECUREBITS = 47, 4, 24, 28
"""Options of prctl(2), and an argument of the first."""
LOCKED = 0x2F
"""Root's number gives no capabilities, changing the user gives none, and neither can be changed again."""
CAPSET = {"x86_64": 126, "aarch64": 91}
"""Machine -> number of the system call."""
VERSION_3 = 0x2008_0522

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls; they have the same numbers on every architecture."""
ASK_FOR_VERSION = 1
RULE_PATH_BENEATH = 1

WRITE_FILE, READ_FILE, READ_DIRECTORY, REMOVE_FILE, MAKE_FILE = 1 << 1, 1 << 2, 1 << 3, 1 << 5, 1 << 8
TRUNCATE, DEVICE_CONTROL = 1 << 14, 1 << 15
FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: TRUNCATE, 5: DEVICE_CONTROL}
"""Version of Landlock -> the rights that are new in it. No rule grants the others: to start a program, to make a folder
or a link, to move a file to another folder."""
NETWORK, OTHER_PROCESSES = 0b11, 0b11
"""Binding and connecting TCP sockets, from version 4 on; abstract sockets and signals, from version 6 on."""
NOTHING = 0
READ = READ_FILE | READ_DIRECTORY
WRITE = READ | WRITE_FILE | REMOVE_FILE | MAKE_FILE | TRUNCATE
FOR_FILES = WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
"""The rights that a rule for a single file can grant."""


SYSTEM = ("/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom")
"""What Python itself needs."""


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
    exercise_files: tuple[str, ...]
    """The files that students write, relative to `course`."""
    lent: tuple[Target, ...] = ()
    """Functions in them for which the answer key's are called, through the test runner."""
    isolated: bool = True
    """Whether the process puts itself behind the wall; otherwise only the limits apply."""


def access_rules(settings: SandboxSettings) -> dict[str, int]:
    """Return NOTHING, READ or WRITE for resolved paths, and for what is below. Of several, the innermost counts."""
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    # The course itself is in the path of the process that asks.
    python |= {place for place in sys.path if os.path.isabs(place) and not os.path.exists(os.path.join(place, "g2c"))}
    # However the course was installed, only the student's copy of it may be read.
    installed = filter(os.path.exists, (os.path.join(place, "g2c") for place in sorted(python)))
    rules = dict.fromkeys([*SYSTEM, *sorted(python), "/proc/self"], READ)
    rules |= dict.fromkeys([*installed, *map(str, settings.hidden)], NOTHING)
    rules |= {str(settings.course): READ, str(settings.scratch): WRITE, "/dev/null": WRITE}
    return {os.path.realpath(path): rights for path, rights in rules.items()}


def is_available() -> bool:
    """Say whether this machine has what the wall needs, as far as can be said without building it."""
    return sys.platform == "linux" and platform.machine() in MACHINES and landlock_version() >= 1


def restrict_this_process(settings: SandboxSettings) -> None:
    """Put this process behind the wall, for good. Does nothing where `settings.isolated` is False."""
    if not settings.isolated:
        return
    # The kernel forgets a folder of /proc, and the rule for it, unless somebody has it open.
    os.open("/proc/self", os.O_PATH)
    access = access_rules(settings)
    give_up_capabilities()
    restrict_files(access)
    restrict_system_calls()


# --- capabilities -----------------------------------------------------------------------------------------------------


def give_up_capabilities() -> None:
    """Give up every capability of this process and of its children, for good. Does nothing to an ordinary user."""
    libc = ctypes.CDLL(None, use_errno=True)
    with suppress(OSError):  # Only root may leave its groups, and not in every namespace. Landlock decides in any case.
        os.setgroups([])
    # An ordinary user may not do all of this and does not have to: it has nothing to gain, as it starts no programs.
    libc.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    for capability in range(int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="ascii")) + 1):
        libc.prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
    libc.prctl(SECUREBITS, LOCKED, 0, 0, 0)
    # A header (version, this process) and an empty set of effective, permitted and inheritable capabilities.
    if libc.syscall(CAPSET[platform.machine()], struct.pack("Ii", VERSION_3, 0), bytes(24)):
        raise OSError(ctypes.get_errno(), "the capabilities cannot be given up")


# --- Landlock ---------------------------------------------------------------------------------------------------------


def landlock_version() -> int:
    """Return the version of Landlock that this Linux kernel has; less than 1 where it has none."""
    return int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_FOR_VERSION))


def restrict_files(access: Mapping[str, int]) -> None:
    """Have the kernel refuse everything else to this process and its children, from now on."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = landlock_version()
    handled = sum(rights for since, rights in FILE_RIGHTS.items() if since <= version)
    fields = [handled, *([NETWORK] if version >= 4 else []), *([OTHER_PROCESSES] if version >= 6 else [])]
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "this kernel has no Landlock")
    try:
        for path, rights in _grants(access):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                allowed = handled & (rights if os.path.isdir(path) else rights & FOR_FILES)
                libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
            finally:
                os.close(place)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        if libc.syscall(RESTRICT_SELF, ruleset, 0):
            raise OSError(ctypes.get_errno(), "Landlock cannot be used")
    finally:
        os.close(ruleset)


def _grants(access: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield (path, rights) for each rule. It holds for everything below its path, so hidden folders are left out."""
    hidden = [path for path, rights in access.items() if rights == NOTHING]
    for top, rights in access.items():
        paths = [top] if rights != NOTHING and os.path.exists(top) else []
        for path in paths:
            if any(inner.startswith(f"{path.rstrip('/')}/") for inner in hidden):
                yield path, READ_DIRECTORY  # Names only.
                entries = [entry for entry in os.scandir(path) if not entry.is_symlink()]
                paths += [entry.path for entry in entries if entry.path not in access]
            else:
                yield path, rights
