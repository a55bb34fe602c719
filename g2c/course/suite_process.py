"""The process in which a student suite runs: it waits for the word, and is pytest from then on.

    python -m g2c.course.suite_process [pytest's arguments]

`g2c watch` keeps one ready, so that a saved file is tested at once: while it waits, it imports what takes long. The
word is a line on standard input; when that ends without a line, nobody wants the tests any more, and the process ends.
"""

import contextlib
import select
import sys
from importlib import import_module

# Packages only. What belongs to the course, and the student's file above all, is imported when the tests begin.
SLOW_PACKAGES = ("pytest", "numpy", "hypothesis", "tokenizers", "psutil", "pytest_timeout")


def main(arguments: list[str]) -> int:
    word_is_there = select.select([sys.stdin], [], [], 0)[0]
    if not word_is_there:
        for name in SLOW_PACKAGES:
            with contextlib.suppress(ImportError):
                import_module(name)
    if not sys.stdin.readline():
        return 0
    import pytest

    return pytest.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
