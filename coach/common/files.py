"""Writing files and folders whole, and reading files with errors that say what to do.

A file is written under another name in the same folder (`.NAME.….part`), flushed to disk, and renamed when it is
complete; a folder is built in the same way. Whenever the process ends, there is the old content or the new.
"""

import errno
import gc
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from coach.common.errors import CourseError, FileFormatError, MissingFileError, SavingError

with suppress(ImportError):  # In a browser, no other process writes.
    import fcntl

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

MAX_READ = 512 * 2**20
"""The size in bytes up to which a file is read as a whole. Published tokenizers have up to 35 MB."""


# --- writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def saving(path: Path) -> Iterator[None]:
    """Turn an OSError in the block into a `SavingError`, which says what could not be written, why, and what to do."""
    try:
        yield
    except CourseError:
        raise
    except OSError as error:
        if error.errno in _NO_SPACE:
            remedy = "Free some space, then try again."
        elif error.errno == errno.ENAMETOOLONG:
            remedy = "Choose a shorter name."
        else:
            remedy = "Choose a place that you may write to, then try again."
        raise SavingError(
            f"{path} could not be written: {error.strerror or error}. The previous content has not changed. {remedy}"
        ) from error


@contextmanager
def locked(path: Path, when_busy: Callable[[], None]) -> Iterator[None]:
    """Run the block while no other process runs one for the same `path`; wait for one that does.

    `path` need not exist; the lock file is `.NAME.lock` beside it, and stays there. `when_busy` is called once, before
    waiting. The operating system releases the lock of a process that ends. Raises OSError if there can be no such file.
    """
    lock = path.with_name(f".{path.name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "ab") as file:
        # Some network file systems have no locks. That two processes write at once is too rare to give up for.
        with suppress(OSError):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                when_busy()
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write_file(path: Path, blocks: Iterable[bytes | memoryview]) -> None:
    """Write a file so that `path` has either its old content or all of the new content.

    Missing folders are created, and a symbolic link is followed. If the iteration over the blocks raises an error, the
    file does not change. Raises SavingError if the disk is full, the folder is read-only, and so on.
    """
    path = Path(os.path.realpath(path))
    part = _sibling(path, "part")
    with saving(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_flushed(part, blocks)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)


def write_flushed(path: Path, blocks: Iterable[bytes | memoryview]) -> None:
    """Write a new file and flush it to disk. This is not atomic; it is for files inside `replacing_folder`."""
    with open(path, "xb") as file:
        for block in blocks:
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder to fill, which replaces `folder` when the block ends.

    If the block raises an error, `folder` does not change. The old folder is deleted with everything in it, so check
    its content first. Raises SavingError if the disk is full, the parent folder is read-only, and so on.
    """
    folder = Path(os.path.realpath(folder))
    new, old = _sibling(folder, "new"), _sibling(folder, "old")
    with saving(folder):
        new.mkdir(parents=True)
        try:
            yield new
            if folder.exists():
                os.rename(folder, old)
            os.rename(new, folder)
        finally:
            if old.exists() and not folder.exists():
                os.rename(old, folder)
            for left_over in (new, old):
                shutil.rmtree(left_over, ignore_errors=True)


def exists(path: Path) -> bool:
    """Tell whether `path` exists. Raises OSError if a folder on the way may not be entered.

    `Path.exists` does the same up to Python 3.13; since 3.14, it returns False in that case.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: the path contains a zero byte.
        return False
    return True


def check_not_current(folder: Path) -> None:
    """Raise SavingError if the folder to be replaced is the current one: the shell would be in a deleted folder."""
    with suppress(FileNotFoundError):
        if folder.samefile("."):
            raise SavingError(f"{folder} is the current folder, which cannot be replaced. Leave it first (cd ..).")


def _sibling(path: Path, suffix: str) -> Path:
    """Return a new name beside `path`, for what will be renamed. No other process has it."""
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.{suffix}")


# --- reading ----------------------------------------------------------------------------------------------------------


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """Open a file for the block. An OSError in the block becomes an error that says what to do about it.

    Raises MissingFileError if there is no such file, or it may not be read, and FileFormatError if it is a folder, a
    pipe or a device.
    """
    try:
        if exists(path) and not path.is_file():
            raise FileFormatError(f"{path} is {'a folder' if path.is_dir() else 'not a regular file'}. Give a file.")
        with open(path, "rb") as file:
            yield file
    except CourseError:
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFileError(f"There is no file {path}. Check the path, or save it first.") from None
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error


def read_file(path: Path) -> bytes:
    """Read a file. Raises what `reading` raises, and FileFormatError if the file has more than MAX_READ bytes."""
    with reading(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_READ:
            raise FileFormatError(
                f"{path} has {size:,} bytes, which exceeds the {MAX_READ:,}-byte limit. It is probably another kind "
                "of file; check the path."
            )
        return file.read(size)


def sha256_of(data: bytes | memoryview) -> str:
    """Return the SHA-256 checksum of bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def parse_json(data: bytes, path: Path) -> Any:
    """Parse JSON from a file that may be damaged. Raises FileFormatError, which names `path`."""
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"{path} is not valid JSON: {error}. The file is truncated, was edited, or is of another kind; save it "
            "again, or copy it again from its source."
        ) from None


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Disable cyclic garbage collection, which would scan millions of new values again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
