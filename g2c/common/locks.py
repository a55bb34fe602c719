"""One at a time: a lock that several processes share, with the standard library alone."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, when_busy: Callable[[], None] | None = None, *, keep_file: bool = True) -> Iterator[int]:
    """Hold the lock file `path`; wait while another process holds it.

    The system gives the lock back when the last process that has the handle ends, however it ends. A child that is
    given the handle (`pass_fds`) therefore keeps the lock until it has ended too.

    Args:
        path: the lock file. Its folder is made when it is missing.
        when_busy: called once, before waiting. An exception that it raises ends the attempt.
        keep_file: False removes the lock file in the end.

    Yields:
        the handle, a file descriptor.

    Raises:
        OSError: the lock file cannot be made or locked.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _acquire(path, when_busy)
    try:
        yield handle
    finally:
        if not keep_file:
            # Removed while it is still held: a process that waits for the removed file notices and makes a new one.
            path.unlink(missing_ok=True)
        os.close(handle)


def _acquire(path: Path, when_busy: Callable[[], None] | None) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if when_busy is not None:
                    when_busy()
                    when_busy = None
                fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_file_at(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_file_at(path: Path, handle: int) -> bool:
    """Whether the open file is still the one that the path leads to."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
