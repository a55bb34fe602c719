"""Compile every loop in advance: python -m g2c.engine

The environment's set-up runs it. Machine code for other versions of the loops is removed.
"""

import shutil
import subprocess
import sys

from g2c.engine import counting, decoding, encoding, exact, merging, splitting
from g2c.engine.compiled import ENTRIES, IS_COMPILED, cache_folder

MODULES = counting, decoding, encoding, exact, merging, splitting
"""Those with loops."""
PROCESSES = 2


def main(arguments: list[str]) -> int:
    """Compile all loops in `PROCESSES` processes, or those named. Returns the exit code."""
    if not IS_COMPILED:
        print("numba is not installed: encoding and training give the same results, but take much longer.")
        return 0
    if arguments:
        for loop in ENTRIES:
            if loop.name in arguments:
                loop.load()
        return 0
    names = [loop.name for loop in ENTRIES]
    command = [sys.executable, "-m", "g2c.engine"]
    processes = [subprocess.Popen([*command, *names[first::PROCESSES]]) for first in range(PROCESSES)]
    codes = [process.wait() for process in processes]
    folder = cache_folder()
    for other in folder.parent.iterdir() if folder else ():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
