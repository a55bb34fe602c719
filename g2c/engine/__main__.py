"""Compile every loop in advance: python -m g2c.engine

The environment's set-up runs it. It removes the machine code of other versions of the loops.
"""

import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from g2c.engine import encoding, exact, splitting, words
from g2c.engine.compiled import IS_COMPILED, cache_folder, load_loops

COMPILED = encoding, exact, splitting, words
"""The modules with loops, the slowest to compile first."""


def main() -> None:
    """Compile all loops in two processes."""
    if not IS_COMPILED:
        print("numba is not installed: encoding and training give the same results, but take much longer.")
        return
    # A copy of this process would not be safe on macOS.
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        list(processes.map(load_loops, [module.__name__ for module in COMPILED]))
    folder = cache_folder()
    for other in folder.parent.iterdir() if folder else ():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)


if __name__ == "__main__":
    main()
