"""A lock that several processes share, with the standard library alone."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, when_busy: Callable[[], None] | None = None) -> Iterator[int]:
    """Hold a lock on the file `path`; wait while another process holds it.

    The operating system releases the lock when the last process that has the file descriptor ends, however it ends. A
    child process that inherits the descriptor (`pass_fds`) therefore holds the lock until it has ended too.

    Args:
        path: the lock file, which is removed at the end. Its folder is created if it does not exist.
        when_busy: called once, before waiting. An exception that it raises ends the attempt.

    Yields:
        the file descriptor of the lock file.

    Raises:
        OSError: the lock file cannot be created or locked.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _acquire(path, when_busy)
    try:
        yield handle
    finally:
        # Removed while still held: a process that waits for the removed file notices this and creates a new one.
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
    """Whether the open file is still the one at the path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
