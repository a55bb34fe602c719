"""Landlock: the Linux kernel's own check of the files that a process opens, for what no audit hook sees.

Extension modules such as `readline` open files, and `_posixsubprocess` starts programs, without an audit event. Under
Landlock (Linux 5.13 and later) the kernel refuses both. See https://docs.kernel.org/userspace-api/landlock.html.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator, Mapping

from g2c.grading.policy import Access

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls; they have the same numbers on every architecture."""
RULE_PATH_BENEATH = 1
NO_NEW_PRIVILEGES = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY, REMOVE_DIRECTORY, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_DIRECTORY, MAKE_FILE = 1 << 7, 1 << 8
ALL = (1 << 13) - 1
"""Every right of the first version. No rule grants EXECUTE: no program can be started."""
READ = READ_FILE | READ_DIRECTORY
WRITE = READ | WRITE_FILE | REMOVE_DIRECTORY | REMOVE_FILE | MAKE_DIRECTORY | MAKE_FILE
FOR_FILES = WRITE_FILE | READ_FILE
"""The rights that a rule for a single file can grant."""


def restrict_files(access: Mapping[str, Access]) -> bool:
    """Have the kernel refuse everything else to this process and its children, from now on.

    Args:
        access: resolved path -> what may be done there and below; for a path inside several, the innermost one counts.

    Returns:
        False when this system has no Landlock. Nothing is restricted then.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None)
    attributes = struct.pack("Q", ALL)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    try:
        for path, rights in _grants(access):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                allowed = rights if os.path.isdir(path) else rights & FOR_FILES
                libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
            finally:
                os.close(place)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return bool(libc.syscall(RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _grants(access: Mapping[str, Access]) -> Iterator[tuple[str, int]]:
    """(path, rights) for each rule. A rule holds for everything below its path, so hidden folders are left out."""
    # The audit hook allows few files of /proc; the kernel keeps those of other processes from a restricted one.
    yield "/proc", READ
    hidden = [path for path, rights in access.items() if rights is Access.NONE and os.path.exists(path)]
    for path, rights in access.items():
        if rights is Access.WRITE and os.path.exists(path):
            yield path, WRITE
        elif rights is Access.READ and os.path.exists(path):
            yield from _read_grants(path, hidden, access)


def _read_grants(path: str, hidden: list[str], access: Mapping[str, Access]) -> Iterator[tuple[str, int]]:
    if not any(folder.startswith(f"{path.rstrip('/')}/") for folder in hidden):
        yield path, READ
        return
    yield path, READ_DIRECTORY  # Names only.
    for entry in os.scandir(path):
        if entry.path not in access and not entry.is_symlink():
            yield from _read_grants(entry.path, hidden, access)
