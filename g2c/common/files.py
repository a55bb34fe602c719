"""Files that survive whatever happens: what is saved is whole, and what is read is checked before it is believed.

A file is written under another name beside its final place (`.NAME.part`), flushed to the disk, and renamed when it is
whole. A folder is built the same way (`.NAME.new`) and then exchanged with the old one in a single step of the file
system. Killed at any moment, either the old or the new is there. What a kill leaves behind, the next save removes.
"""

import ctypes
import errno
import gc
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError, FileFormatError, MissingFileError, SavingError
from g2c.common.locks import locked

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_MOST_LISTS, _MOST_NAMES, _MOST_VALUES = 300_000, 400_000, 1_300_000
_LARGEST_TEXT = 70 * 2**20
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89abcdefABCDEF]")


# --- writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def saving(path: Path) -> Iterator[None]:
    """Turn an OSError inside into a `SavingError` that says what could not be written, why, and what to do."""
    try:
        yield
    except CourseError:
        raise
    except OSError as error:
        remedy = (
            "Free some space and save again."
            if error.errno in _NO_SPACE
            else "Choose a place that you may write to, and save again."
        )
        raise SavingError(
            f"{path} could not be written: {error.strerror or error}. What was there before has not changed. {remedy}"
        ) from error


@contextmanager
def exclusive(path: Path, *, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Keep other processes that ask for the same `path` waiting until the block ends. A killed process lets go.

    Args:
        path: what the lock stands for; it need not exist, but its folder must.
        waiting: called once when another process is inside, before waiting for it.
    """
    with ExitStack() as stack:
        with saving(path):
            stack.enter_context(locked(_sibling(path, "lock"), waiting, keep_file=False))
        yield


def write_file(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file so that `path` holds either its old content or all of the new one.

    Args:
        path: the final place. Missing folders are made; a symbolic link is followed.
        blocks: the content. When producing it raises, that error comes through and nothing has changed.

    Raises:
        SavingError: the disk is full, the folder is read-only, ...
    """
    path = Path(os.path.realpath(path))
    with saving(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(path):
            part = _sibling(path, "part")
            part.unlink(missing_ok=True)
            try:
                write_flushed(part, blocks)
                os.replace(part, path)
                _flush_folder(path.parent)
            finally:
                part.unlink(missing_ok=True)


def write_flushed(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a new file and wait until it is on the disk. Not atomic: for files inside `replacing_folder`."""
    with open(path, "xb") as file:
        for block in blocks:
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder to fill; when the block ends it takes the place of `folder`, in one step.

    When the block raises, `folder` stays as it was. The old folder is deleted with everything in it: look before you
    replace.

    Raises:
        SavingError: the disk is full, the parent folder is read-only, ...
    """
    folder = Path(os.path.realpath(folder))
    with saving(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(folder):
            new = _sibling(folder, "new")
            _put_back(folder)
            _remove(new)
            try:
                new.mkdir()
                yield new
                _flush_folder(new)
                _put_in_place(new, folder)
            finally:
                _put_back(folder)
                _remove(new)


def restore_folder(folder: Path) -> None:
    """Bring back a folder that a killed `replacing_folder` had put aside. Call before reading it."""
    folder = Path(os.path.realpath(folder))
    if not folder.exists() and _sibling(folder, "old").exists():
        with saving(folder), exclusive(folder):
            _put_back(folder)


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(f".{path.name}.{suffix}")


def _put_in_place(new: Path, folder: Path) -> None:
    if not folder.exists():
        os.rename(new, folder)
    elif not _exchange(new, folder):
        # Between these two lines there is no `folder`; `_put_back` then finds the old one.
        old = _sibling(folder, "old")
        os.rename(folder, old)
        os.rename(new, folder)
        # What lies under `old` is taken for whole, so it goes by another name before it is deleted piece by piece.
        os.rename(old, new)
    _flush_folder(folder.parent)


def _put_back(folder: Path) -> None:
    old = _sibling(folder, "old")
    if old.exists():
        if folder.exists():
            _remove(_sibling(folder, "new"))
            os.rename(old, _sibling(folder, "new"))
        else:
            os.rename(old, folder)


def _exchange(one: Path, other: Path) -> bool:
    """Let two paths change places in one step. False when this system or file system has no such step."""
    libc = ctypes.CDLL(None)
    first, second = os.fsencode(one), os.fsencode(other)
    swap = ctypes.c_uint(2)  # RENAME_SWAP on macOS, RENAME_EXCHANGE on Linux
    try:
        if sys.platform == "darwin":
            return libc.renamex_np(first, second, swap) == 0
        relative_to_working_folder = ctypes.c_int(-100)
        return libc.renameat2(relative_to_working_folder, first, relative_to_working_folder, second, swap) == 0
    except AttributeError:
        return False


def _flush_folder(folder: Path) -> None:
    """Get the names in a folder to the disk. Some network drives cannot, and then the names go there in their time."""
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


def read_file(path: Path, *, limit: int) -> bytes:
    """The bytes of a file.

    Raises:
        MissingFileError: there is no such file, or it may not be read.
        FileFormatError: it has more than `limit` bytes, or is a folder.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise FileFormatError(
                    f"{path} has {size:,} bytes, where at most {limit:,} make sense: it is not the file it should be."
                )
            return file.read(limit)
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {path}. Check the path, or save it first.") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path} is a folder, where a file should be. Move it away and save again.") from None
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error


def parse_json(data: bytes, path: Path) -> Any:
    """Read JSON from a file that may be damaged or hostile.

    Refused, besides what is not JSON: a name that stands twice in one object, NaN and Infinity, integers of more than
    18 digits, halves of characters (lone surrogates), more than 32 levels of nesting, and so many values that they
    would fill the memory: an empty list is two bytes in the file, and more than fifty in memory.

    Args:
        data: the file's bytes.
        path: its name, for the error's sentence.

    Raises:
        FileFormatError: with the place.
    """
    try:
        text = data.decode("utf-8")
        _check_extent(text)
        with _no_garbage_collection():
            value = json.loads(
                text,
                object_pairs_hook=_object_without_duplicates,
                parse_int=_short_int,
                parse_constant=_no_constant,
            )
        _check_depth(value)
        if _ESCAPED_SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except UnicodeEncodeError:
        problem = "it holds a lone surrogate, half of a character"
    except UnicodeDecodeError as error:
        problem = f"byte {error.start} is not valid UTF-8"
    except json.JSONDecodeError as error:
        problem = f"line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        problem = "it is nested too deeply"
    except ValueError as error:
        problem = str(error)
    raise FileFormatError(
        f"{path} is not valid JSON: {problem}. It is cut short, was edited, or is another kind of file; "
        "save it again, or copy it again from where it came."
    )


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the name {name[:80]!r} stands twice in one object")
            seen.add(name)
    return result


def _check_extent(text: str) -> None:
    """Look at what the values will take, before they are made: each has a comma or a bracket before it."""
    lists = text.count("[") + text.count("{")
    too_many = lists > _MOST_LISTS or text.count(":") > _MOST_NAMES or lists + text.count(",") > _MOST_VALUES
    if too_many or sys.getsizeof(text) > _LARGEST_TEXT:
        raise ValueError("it holds more than a tokenizer of 300,000 tokens does")


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Collecting while many values are made looks at all of them again and again, and finds nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _check_depth(value: Any) -> None:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(33):
        children = (container.values() if isinstance(container, dict) else container for container in level)
        level = [child for siblings in children for child in siblings if isinstance(child, (dict, list))]
        if not level:
            return
    raise RecursionError


def _short_int(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f"the integer {digits[:18]}... is too large")
    return int(digits)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")
