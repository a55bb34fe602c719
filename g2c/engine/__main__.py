"""Compile every loop in advance: python -m g2c.engine

The environment's set-up runs it. Machine code for other versions of the loops is removed.
"""

import shutil
from concurrent.futures import ProcessPoolExecutor

from g2c.engine import counting, cuts, decoding, encoding, exact, merging, splitting
from g2c.engine.compiled import ENTRIES, IS_COMPILED, cache_folder

MODULES = counting, cuts, decoding, encoding, exact, merging, splitting
"""Those with loops."""


def compile_loop(number: int) -> None:
    """Compile one of `ENTRIES`, unless the cache has it."""
    ENTRIES[number].load()


def main() -> None:
    """Compile all loops in two processes."""
    if not IS_COMPILED:
        print("numba is not installed: encoding and training give the same results, but take much longer.")
        return
    with ProcessPoolExecutor(2) as processes:
        list(processes.map(compile_loop, range(len(ENTRIES))))
    folder = cache_folder()
    for other in folder.parent.iterdir() if folder else ():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)


if __name__ == "__main__":
    main()
