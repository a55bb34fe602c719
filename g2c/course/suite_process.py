"""The process in which a student suite runs: it waits for the word, and is pytest from then on.

    python -m g2c.course.suite_process [pytest's arguments]

`g2c watch` keeps one ready, so that a saved file is tested at once: while it waits, it imports what takes long. The
word is a line on standard input; when that ends without a line, nobody wants the tests any more, and the process ends.
"""

import contextlib
import os
import select
import sys
from importlib import import_module

# Packages only. What belongs to the course, and the student's file above all, is imported when the tests begin.
SLOW_PACKAGES = ("pytest", "numpy", "hypothesis", "tokenizers", "psutil", "pytest_timeout", "rich.progress")


def main(arguments: list[str]) -> None:
    word_is_there = select.select([sys.stdin], [], [], 0)[0]
    if not word_is_there:
        for name in SLOW_PACKAGES:
            with contextlib.suppress(ImportError):
                import_module(name)
    if not sys.stdin.readline():
        return
    import pytest

    code = pytest.main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # Python's own end would take a quarter of a second, and a thread that a student began would put it off for ever.
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
