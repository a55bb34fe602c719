"""Capabilities: what makes root root. A process gives them up for good, and keeps its user.

See capabilities(7), https://man7.org/linux/man-pages/man7/capabilities.7.html.
"""

import ctypes
import os
import platform
import struct
from contextlib import suppress
from pathlib import Path

AMBIENT, CLEAR_ALL, DROP_FROM_BOUNDING_SET, SECUREBITS = 47, 4, 24, 28
"""Options of prctl(2), and an argument of the first."""
LOCKED = 0x2F
"""Root's number gives no capabilities, changing the user gives none, and neither can be changed again."""
CAPSET = {"x86_64": 126, "aarch64": 91}
"""Machine -> number of the system call."""
VERSION_3 = 0x2008_0522


def give_up_capabilities() -> None:
    """Give up every capability of this process and of its children, for good. Does nothing to an ordinary user.

    Raises:
        OSError: the kernel refuses it.
    """
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
