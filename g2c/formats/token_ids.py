"""ids.uint32: token IDs as four bytes each, little-endian, without a header.

Written all or nothing, and checked block by block when they are read.
"""

import mmap
import operator
import os
from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy

from g2c.common.errors import FileFormatError, MissingFileError
from g2c.common.files import write_file
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.special_tokens import ID_LIMIT

IDS_FILE = "ids.uint32"

BLOCK = 1 << 20
"""IDs that are looked at in one step."""


def save_token_ids(ids: Iterable[int], path: str | os.PathLike[str]) -> Path:
    """Write token IDs as four bytes each, little-endian, without a header.

    Args:
        ids: a list, a one-dimensional array of integers, or any iterable of them, such as a generator.
        path: the file.

    Raises:
        TypeError: something in `ids` is not an integer.
        ValueError: an ID is negative, or 2**31 or above.
        SavingError: the disk is full, the folder is read-only, ...

    >>> import tempfile
    >>> from g2c.tokenizer import load_token_ids, save_token_ids
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_token_ids(save_token_ids([72, 105], folder + "/ids.uint32"))
    array([ 72, 105], dtype=uint32)
    """
    path = Path(path)
    write_file(path, (block.tobytes() for block in id_blocks(ids, ID_LIMIT)))
    return path


def load_token_ids(path: str | os.PathLike[str], *, mmap: bool = False) -> numpy.ndarray:
    """Read what `save_token_ids` wrote.

    Args:
        path: the file.
        mmap: True leaves the IDs on the disk and reads parts of them when they are used: a `numpy.memmap` that cannot
            be written to, for files larger than the memory. An empty file gives an empty array either way.

    Returns:
        a one-dimensional array of uint32.

    Raises:
        MissingFileError: there is no such file.
        FileFormatError: the file is cut short, or of another kind.
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            _check_kind(file.read(16), path)
            size = os.fstat(file.fileno()).st_size
        if size % 4:
            raise FileFormatError(
                f"{path} has {size:,} bytes, which is not a multiple of 4: it is cut short, or holds no token IDs. "
                "Save it again, or copy it again from where it came."
            )
        if mmap and size:
            ids = numpy.memmap(path, dtype="<u4", mode="r")
        else:
            ids = numpy.fromfile(path, dtype="<u4")
            ids.flags.writeable = not mmap
    except FileNotFoundError:
        raise MissingFileError(f"There are no token IDs at {path}. Check the path, or save them first.") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path} is a folder, not a file of token IDs. Name the {IDS_FILE} in it.") from None
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error
    _check_id_range(ids, path)
    return ids


def _check_kind(start: bytes, path: Path) -> None:
    """Recognise other kinds of files by their first bytes. Text would be IDs in the hundreds of millions."""
    kind = None
    if start.startswith(b"\x93NUMPY"):
        kind = "numpy's own format, which numpy.load reads"
    elif start and all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in start):
        kind = "text"
    if kind:
        raise FileFormatError(f"{path} begins with {start[:8]!r}: it is {kind}, not a file of token IDs.")


def _check_id_range(ids: numpy.ndarray, path: Path) -> None:
    first = 0
    for block in blocks_of(ids, BLOCK):
        if block.max() >= ID_LIMIT:
            place = int(numpy.argmax(block >= ID_LIMIT))
            raise FileFormatError(
                f"{path} holds {block[place]} at place {first + place}, but token IDs are below 2**31: it is damaged, "
                "or holds no token IDs. Save it again, or copy it again from where it came."
            )
        first += len(block)


def blocks_of(ids: numpy.ndarray, size: int) -> Iterator[numpy.ndarray]:
    """IDs, as `load_token_ids` gives them, in blocks of `size`.

    The part of a mapped file that was looked at counts as memory of the process. It is given back after each block.
    """
    for first in range(0, len(ids), size):
        yield ids[first : first + size]
        if isinstance(ids.base, mmap.mmap):
            ids.base.madvise(mmap.MADV_DONTNEED)


def id_blocks(ids: Iterable[int], limit: int) -> Iterator[numpy.ndarray]:
    """`ids` as little-endian uint32, block by block, after checking that each is an integer from 0 to below `limit`."""
    first = 0
    for block in _integer_blocks(ids):
        if block.size and (block.min() < 0 or block.max() >= limit):
            place = int(numpy.argmax((block < 0) | (block >= limit)))
            raise ValueError(
                f"The ID {block[place]} at place {first + place} is not a token ID: IDs go from 0 to {limit - 1}."
            )
        yield block.astype("<u4")
        first += block.size


def token_id_blocks(ids: Iterable[int], tokenizer: BPEBase) -> Iterator[numpy.ndarray]:
    """The blocks of `id_blocks`, after checking that each ID is one of the tokenizer's."""
    known = known_ids(tokenizer)
    first = 0
    for block in id_blocks(ids, int(known[-1]) + 1):
        unknown = unknown_ids(block, known)
        if unknown.any():
            place = int(numpy.argmax(unknown))
            raise ValueError(f"The ID {block[place]} at place {first + place} is none of the tokenizer's.")
        yield block
        first += block.size


def known_ids(tokenizer: BPEBase) -> numpy.ndarray:
    """The tokenizer's IDs, ascending."""
    return numpy.array(sorted(tokenizer.vocab), dtype=numpy.int64)


def unknown_ids(block: numpy.ndarray, known: numpy.ndarray) -> numpy.ndarray:
    """Which IDs of the block are no token's. Published tables can leave IDs free between their special tokens."""
    return block > known[-1] if len(known) == known[-1] + 1 else ~numpy.isin(block, known)


def _integer_blocks(ids: Iterable[int]) -> Iterator[numpy.ndarray]:
    if isinstance(ids, (str, bytes, bytearray)):
        raise TypeError(f"Token IDs are integers, but this is of type {type(ids).__name__}: encode the text first.")
    if hasattr(ids, "__array__") or isinstance(ids, (array, memoryview)):
        values = numpy.asarray(ids)
        if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
            raise TypeError(
                f"Token IDs are a one-dimensional array of integers, but this one is {values.ndim}-dimensional and of "
                f"type {values.dtype}."
            )
        for first in range(0, values.size, BLOCK):
            yield values[first : first + BLOCK]
        return
    remaining, first = iter(ids), 0
    while block := list(islice(remaining, BLOCK)):
        try:
            yield numpy.fromiter(map(operator.index, block), dtype=numpy.int64, count=len(block))
        except TypeError:
            place, value = next((i, v) for i, v in enumerate(block) if not hasattr(v, "__index__"))
            raise TypeError(
                f"Token IDs are integers, but at place {first + place} stands {value!r}, "
                f"of type {type(value).__name__}."
            ) from None
        except OverflowError:
            raise ValueError(f"The IDs hold {max(block, key=abs)}, but token IDs are below 2**31.") from None
        first += len(block)
