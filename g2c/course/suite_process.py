"""The process in which a student suite runs: it imports what takes long, waits for the word, and is pytest from then on.

    python -m g2c.course.suite_process [pytest's arguments]

`g2c watch` keeps one ready, so that a saved file is tested at once. The word is a line on standard input; when that ends
without a line, nobody waits for the tests any more, and the process ends too.
"""

import contextlib
import sys
from importlib import import_module

import pytest

# Packages only. What belongs to the course, and the student's file above all, is imported when the tests begin.
for name in ("hypothesis", "numpy", "psutil", "pytest_timeout", "tokenizers"):
    with contextlib.suppress(ImportError):
        import_module(name)

if __name__ == "__main__":
    sys.exit(pytest.main(sys.argv[1:]) if sys.stdin.readline() else 0)
