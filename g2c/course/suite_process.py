"""The process in which a student suite runs: it waits for a line on standard input, then runs pytest.

    python -m g2c.course.suite_process [pytest's arguments]

`g2c watch` keeps one ready, so that a saved file is tested at once: while it waits, it imports the slow packages. When
standard input closes without a line, the tests are no longer wanted, and the process ends.
"""

import contextlib
import os
import select
import sys
from importlib import import_module

# Packages only. The course's own files, and the student's above all, are imported when the tests begin.
SLOW_PACKAGES = ("pytest", "numpy", "hypothesis", "tokenizers", "psutil", "pytest_timeout", "rich.progress")


def main(arguments: list[str]) -> None:
    may_begin = select.select([sys.stdin], [], [], 0)[0]
    if not may_begin:
        for name in SLOW_PACKAGES:
            with contextlib.suppress(ImportError):
                import_module(name)
    if not sys.stdin.readline():
        return
    import pytest

    code = pytest.main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # Python's own shutdown takes a quarter of a second, and never ends while a thread of the student's runs.
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
