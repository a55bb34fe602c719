"""A limit for what could take minutes, in seconds of processor time: other programs of the machine do not count."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes longer. Choose ten times what it takes, so that a slow machine does not fail either."""
    began = time.process_time()
    try:
        yield
    finally:
        took = time.process_time() - began
        assert took < seconds, f"it took {took:.1f} s of processor time, which should be far below {seconds} s"
