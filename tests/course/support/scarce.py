"""Scarce resources for code that runs in the test's process: a full disk, and little processor time."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def full_disk(limit: int = 100) -> Iterator[None]:
    """Let no file grow beyond `limit` bytes: the system answers a longer write as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes more processor time, which other programs do not use up. Allow ten times the usual."""
    began = time.process_time()
    try:
        yield
    finally:
        took = time.process_time() - began
        assert took < seconds, f"it took {took:.1f} s of processor time, which should be far below {seconds} s"
