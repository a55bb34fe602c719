"""ids.uint32: a file of token IDs, four bytes each, little-endian, without a header."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import index
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from coach.common.errors import FileFormatError
from coach.common.files import reading
from g2c.tokenizer.special_tokens import ID_LIMIT

IDS_FILE = "ids.uint32"

BLOCK_IDS = 1 << 17  # How many IDs are processed at a time: few enough to stay in the processor's cache.


def read_ids(path: Path, *, mmap: bool) -> NDArray[numpy.uint32]:
    """Read a file of IDs without checking the IDs. With `mmap`, they stay on the disk and are read as needed.

    Raises MissingFileError if there is no such file, and FileFormatError if it is truncated or of another kind.
    """
    with reading(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size % 4:
            raise FileFormatError(
                f"{path} has {size:,} bytes, which is not a multiple of 4: it is truncated, or not a file of token "
                "IDs. Save it again, or copy it again from its source."
            )
        if mmap and size:
            return numpy.memmap(file, dtype="<u4", mode="r")
        ids: NDArray[numpy.uint32] = numpy.fromfile(file, dtype="<u4")
    ids.flags.writeable = not mmap
    return ids


def blocks_of(ids: NDArray[numpy.uint32], size: int) -> Iterator[NDArray[numpy.uint32]]:
    """Yield IDs in blocks of `size`."""
    for first in range(0, len(ids), size):
        yield ids[first : first + size]


def id_blocks(ids: Iterable[int]) -> Iterator[NDArray[numpy.uint32]]:
    """Yield `ids` as little-endian uint32, block by block. Raises TypeError or ValueError if one is not an integer from
    0 to 2**31 - 1."""
    for number, block in enumerate(_integer_blocks(ids)):
        if block.size and not 0 <= block.min() <= block.max() < ID_LIMIT:
            at = int(numpy.argmax((block < 0) | (block >= ID_LIMIT)))
            position = number * BLOCK_IDS + at
            raise ValueError(
                f"The ID {block[at]} at position {position} is not a token ID: IDs go from 0 to {ID_LIMIT - 1}."
            )
        yield block.astype("<u4")


def _integer_blocks(ids: Iterable[int]) -> Iterator[NDArray[Any]]:
    """Yield integers in arrays of `BLOCK_IDS`. Raises TypeError for anything else."""
    if isinstance(ids, (str, bytes, bytearray)):
        raise TypeError(f"Token IDs must be integers, but this is of type {type(ids).__name__}: encode the text first.")
    if hasattr(ids, "__array__"):
        values = numpy.asarray(ids)
        if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
            raise TypeError(
                f"Token IDs must be a one-dimensional array of integers, but this one is {values.ndim}-dimensional and "
                f"of type {values.dtype}."
            )
        for first in range(0, values.size, BLOCK_IDS):
            yield values[first : first + BLOCK_IDS]
        return
    remaining = iter(ids)
    while block := list(islice(remaining, BLOCK_IDS)):
        try:
            yield numpy.fromiter(map(index, block), numpy.int64)
        except TypeError as error:
            raise TypeError(f"Token IDs must be integers: {error}.") from None
