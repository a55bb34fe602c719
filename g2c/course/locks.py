"""One at a time: a lock that several processes share, with the standard library alone."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, when_busy: Callable[[], None]) -> Iterator[int]:
    """Hold the lock file `path`; wait while another process holds it.

    The system gives the lock back when the last process that has the handle ends, however it ends. A child that is
    given the handle (`pass_fds`) therefore keeps the lock until it has ended too.

    Args:
        path: the lock file. Its folder is made when it is missing; the file stays.
        when_busy: called once, before waiting.

    Yields:
        the handle, a file descriptor.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            when_busy()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)
