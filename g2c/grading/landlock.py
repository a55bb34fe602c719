"""Landlock: the Linux kernel decides which files a process may open, and keeps it from other processes and the network.

Landlock is there from Linux 5.13 on; later versions know more kinds of access. See
https://docs.kernel.org/userspace-api/landlock.html.
"""

import ctypes
import os
import struct
from collections.abc import Iterator, Mapping

from g2c.grading.policy import Access

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls; they have the same numbers on every architecture."""
ASK_FOR_VERSION = 1
RULE_PATH_BENEATH = 1
NO_NEW_PRIVILEGES = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY, REMOVE_DIRECTORY, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_DIRECTORY, MAKE_FILE = 1 << 7, 1 << 8
MOVE, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
FILE_RIGHTS = {1: (1 << 13) - 1, 2: MOVE, 3: TRUNCATE, 5: DEVICE_CONTROL}
"""Version of Landlock -> the rights that are new in it. No rule grants EXECUTE: no program can be started."""
NETWORK, OTHER_PROCESSES = 0b11, 0b11
"""Binding and connecting TCP sockets, from version 4 on; abstract sockets and signals, from version 6 on."""
READ = READ_FILE | READ_DIRECTORY
WRITE = READ | WRITE_FILE | REMOVE_DIRECTORY | REMOVE_FILE | MAKE_DIRECTORY | MAKE_FILE | MOVE | TRUNCATE
FOR_FILES = WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
"""The rights that a rule for a single file can grant."""


def landlock_version() -> int:
    """The version of Landlock that this Linux kernel has; less than 1 where it has none."""
    return int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_FOR_VERSION))


def restrict_files(access: Mapping[str, Access]) -> None:
    """Have the kernel refuse everything else to this process and its children, from now on.

    Args:
        access: resolved path -> what may be done there and below; for a path inside several, the innermost one counts.

    Raises:
        OSError: the kernel has no Landlock, or refuses.
    """
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


def _grants(access: Mapping[str, Access]) -> Iterator[tuple[str, int]]:
    """(path, rights) for each rule. A rule holds for everything below its path, so hidden folders are left out."""
    hidden = [path for path, rights in access.items() if rights is Access.NONE]
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
