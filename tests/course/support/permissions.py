"""Folders that may not be read or written, also in tests that run as the administrator, who may do everything."""

import ctypes
import os
import subprocess
import sys

from g2c.common.paths import REPOSITORY

_PR_CAPBSET_DROP, _DAC_OVERRIDE, _DAC_READ_SEARCH = 24, 1, 2


def give_up_privileges() -> None:
    """Make permissions count for the programs that this process starts. Nothing to do for an ordinary user.

    Raises:
        OSError: the system does not allow it.
    """
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


def permissions_count() -> bool:
    """Whether permissions can be made to count for a program."""
    try:
        subprocess.run(["true"], check=True, preexec_fn=give_up_privileges)
    except (OSError, AttributeError, subprocess.SubprocessError):
        return False
    return True


def run_with_permissions(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments and environment variables, in a process for which permissions count."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **variables},
        preexec_fn=give_up_privileges,
        capture_output=True,
        text=True,
    )
