"""Crash-safe writing of files and folders, and reading of files that may be damaged or hostile.

A file is written under a temporary name in the same folder (`.NAME.part`), flushed to disk, and renamed when it is
complete. A folder is built in the same way (`.NAME.new`); then the old one is moved aside (`.NAME.old`). Whenever the
process is killed, either the old or the new content remains; readers of a folder call `restore_folder` first. The next
save removes what a killed one left behind.
"""

import errno
import gc
import hashlib
import json
import os
import re
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from g2c.common.errors import NEEDS_UNIX, CourseError, FileFormatError, MissingFileError, SavingError

try:
    import fcntl
except ImportError:
    # In a browser, no other process writes.
    if sys.platform != "emscripten":
        raise ImportError(NEEDS_UNIX) from None

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_MAX_NESTING = 32
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89abcdefABCDEF]")


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
def locked(path: Path, when_busy: Callable[[], None] | None = None) -> Iterator[int]:
    """Run the block while no other process runs one for the same `path`; wait for one that does.

    The operating system releases the lock when every process that has the file descriptor has ended, including child
    processes that inherited it.

    `path` need not exist; the lock file is `.NAME.lock` beside it. `when_busy` is called once, before waiting, and may
    raise an error to give up. Yields the lock file's descriptor. Raises OSError if it cannot be created or locked.
    """
    lock = _sibling(path, "lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    handle = _acquire(lock, when_busy)
    try:
        yield handle
    finally:
        # Removed while still locked. A process that waits for the removed file notices this and creates a new one.
        lock.unlink(missing_ok=True)
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
            # Another process may have removed the file meanwhile.
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(handle)):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def write_file(path: Path, blocks: Iterable[bytes | memoryview]) -> None:
    """Write a file so that `path` has either its old content or all of the new content.

    Missing folders are created, and a symbolic link is followed. If the iteration over the blocks raises an error, the
    file does not change. Raises SavingError if the disk is full, the folder is read-only, and so on.
    """
    path = Path(os.path.realpath(path))
    part = _sibling(path, "part")
    with saving(path), locked(path):
        part.unlink(missing_ok=True)
        try:
            write_flushed(part, blocks)
            os.replace(part, path)
            _flush_folder(path.parent)
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
    new = _sibling(folder, "new")
    with saving(folder), locked(folder):
        _put_back(folder)
        _remove(new)
        try:
            new.mkdir()
            yield new
            _flush_folder(new)
            if folder.exists():
                # Until the next line, there is no `folder`. `_put_back` brings the old one back.
                os.rename(folder, _sibling(folder, "old"))
            os.rename(new, folder)
            _flush_folder(folder.parent)
        finally:
            _put_back(folder)
            shutil.rmtree(new, ignore_errors=True)


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


def restore_folder(folder: Path) -> None:
    """Bring back a folder that a killed `replacing_folder` moved aside. Call this before reading the folder."""
    folder = Path(os.path.realpath(folder))
    if not folder.exists() and _sibling(folder, "old").exists():
        with saving(folder), locked(folder):
            _put_back(folder)


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(f".{path.name}.{suffix}")


def _put_back(folder: Path) -> None:
    new, old = _sibling(folder, "new"), _sibling(folder, "old")
    if folder.exists() and old.exists():
        # A folder named `old` must be complete, so it is renamed before it is deleted file by file.
        _remove(new)
        os.rename(old, new)
    elif old.exists():
        os.rename(old, folder)


def _flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk. Some network drives cannot, and flush them later."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


# --- reading ----------------------------------------------------------------------------------------------------------


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """Open a file for the block. An OSError in the block becomes an error that says what to do about it.

    Raises MissingFileError if there is no such file, or it may not be read, and FileFormatError if it is a folder, or a
    pipe or device, which could block or never end.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe waits until another process writes to it.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileFormatError(
                    f"{path} is not a regular file, but a named pipe or a device. Give the path of a file."
                )
            yield file
    except CourseError:
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFileError(f"There is no file {path}. Check the path, or save it first.") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path} is a folder, not a file. Give the path of a file.") from None
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error


def read_file(path: Path, *, limit: int) -> bytes:
    """Read a file of at most `limit` bytes.

    Raises what `reading` raises, and FileFormatError if the file has more than `limit` bytes.
    """
    with reading(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise FileFormatError(
                f"{path} has {size:,} bytes, which exceeds the {limit:,}-byte limit. It is probably another kind "
                "of file; check the path."
            )
        return file.read(size)


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 checksum of bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def parse_json(data: bytes, path: Path) -> Any:
    """Parse JSON from a file that may be damaged or hostile. Messages name `path`.

    Raises FileFormatError for invalid JSON, and also for a name that appears twice in an object, a lone surrogate, or
    more than 32 levels of nesting.
    """
    try:
        text = data.decode("utf-8")
        with no_garbage_collection():
            value = json.loads(text, object_pairs_hook=_without_duplicates)
            _check_depth(value)
        if _ESCAPED_SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except (ValueError, RecursionError) as error:
        # For values that are nested too deeply, each version of Python has a different message.
        problem = error if isinstance(error, ValueError) else "it is nested too deeply"
        raise FileFormatError(
            f"{path} is not valid JSON: {problem}. The file is truncated, was edited, or is of another kind; save it "
            "again, or copy it again from its source."
        ) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise ValueError(f"the name {counts.most_common(1)[0][0][:80]!r} appears twice in one object")
    return result


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


def _check_depth(value: Any) -> None:
    level: list[Any] = [[value]]
    for _ in range(_MAX_NESTING + 2):
        children = (container.values() if type(container) is dict else container for container in level)
        level = [child for several in children for child in several if type(child) is list or type(child) is dict]
    if level:
        raise RecursionError
