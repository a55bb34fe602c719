"""Encoding whole blocks of text in numpy, for the gpt2 and gpt4 patterns: the IDs of the Rust libraries, but faster.

    block    "the cat, the bat"                                     bytes, UTF-8
      |   piece_bounds (splitting.py)
    pieces   "the"  " cat"  ","  " the"  " bat"                     offsets
      |   WordNumbers (word_numbers.py)
    words      7      12     3      9     40  <- new: it gets the next number, and is merged
      |
    IDs      260    311     44    264     98 300                    uint32

Text repeats itself: nearly all pieces of a block are words seen before, and their IDs are looked up. The new ones,
about one in a hundred after the first megabytes, are merged all at once (merging.py). So Python makes about a hundred
numpy calls for each block instead of millions of steps.

The cache of words is bounded: when it is full it is cleared, and fills again from the next block. The IDs do not depend
on its contents, so any number of processes can share the blocks of a corpus.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from g2c.engine.merging import Merger
from g2c.engine.splitting import piece_bounds
from g2c.engine.word_numbers import WordNumbers
from g2c.engine.word_table import Pieces
from g2c.tokenizer.base import Pair

MOST_WORDS = 1 << 19
"""The cache is cleared before the next block when it holds more words than this."""

MOST_LONG_WORDS = 1 << 16
"""The same for words that are too long for the hash table, which take more memory."""

LONGEST_KEPT = 256
"""Pieces longer than this, in bytes, are not cached."""

BLOCKS_PER_MERGE = 8
"""Number of blocks whose new words are merged at once."""

MOST_UNMERGED = 1 << 20
"""New words are merged earlier when they reach this many bytes."""

NO_TOKEN = -1
"""In place of a special token's ID: the boundary between two texts, with no token there."""


_Int = TypeVar("_Int", bound=np.signedinteger[Any])
_Scalar = TypeVar("_Scalar", bound=np.generic)


def concatenated_ranges(starts: NDArray[_Int], lengths: NDArray[_Int]) -> NDArray[_Int]:
    """The indices start, start + 1, … start + length - 1 for each start, concatenated.

    >>> concatenated_ranges(np.array([20, 50]), np.array([3, 2])).tolist()
    [20, 21, 22, 50, 51]
    """
    # Start from 0, 1, 2, … over the whole result; within each range the offset to be added is constant.
    begins = np.cumsum(lengths, dtype=lengths.dtype) - lengths
    indices: NDArray[_Int] = np.arange(lengths.sum(), dtype=lengths.dtype) + np.repeat(starts - begins, lengths)
    return indices


class IdLists:
    """Lists of IDs of any length in one flat array, numbered in the order in which they are added.

    Three lists:

        number      0    1        2
        ids        260  311 44 98 264 300
        offsets     0    1        4       6      where each list begins and the previous one ends
    """

    def __init__(self) -> None:
        self._ids, self._offsets = _GrowingArray(np.uint32), _GrowingArray(np.int32)
        self._offsets.append(np.zeros(1, np.int32))

    def __len__(self) -> int:
        return self._offsets.size - 1

    @property
    def total(self) -> int:
        """Number of IDs in all lists."""
        return self._ids.size

    def add(self, ids: NDArray[Any], counts: NDArray[Any]) -> None:
        """Add lists, given as their concatenated IDs and the length of each. They get the next numbers."""
        self._offsets.append(self._ids.size + np.cumsum(counts))
        self._ids.append(ids)

    def of(self, numbers: NDArray[np.int32]) -> NDArray[np.uint32]:
        """The lists with these numbers, concatenated."""
        # `take` is twice as fast here as indexing with brackets.
        begins, ends = self._offsets.values[:-1].take(numbers), self._offsets.values[1:].take(numbers)
        return self._ids.values.take(concatenated_ranges(begins, ends - begins))


class _GrowingArray(Generic[_Scalar]):
    """An array that grows at its end. Its capacity doubles whenever it is full."""

    def __init__(self, dtype: type[_Scalar]) -> None:
        self._memory = np.empty(1 << 12, dtype)
        self.size = 0

    @property
    def values(self) -> NDArray[_Scalar]:
        return self._memory[: self.size]

    def append(self, values: NDArray[Any]) -> None:
        size = self.size + len(values)
        if size > len(self._memory):
            memory = np.empty(2 * size, self._memory.dtype)
            memory[: self.size] = self.values
            self._memory = memory
        self._memory[self.size : size] = values
        self.size = size


BlockArguments = tuple[bytes, NDArray[np.int64] | None, NDArray[np.int64] | None]
"""A block of text, its placeholders and their IDs: the arguments of `VectorizedEncoder.encode`."""


class VectorizedEncoder:
    """Encodes block after block with a tokenizer's merges. See the diagram in the module docstring.

    Every new word gets the next number at once. Its IDs are computed later, for all new words of several blocks at
    once, with few numpy calls on large arrays. Until then the bytes of the new words are kept.
    """

    def __init__(
        self,
        merges: Mapping[Pair, int],
        pattern: str,
        *,
        byte_ids: Sequence[int] | None = None,
        special_ids: Collection[int] = (),
        most_words: int = MOST_WORDS,
    ) -> None:
        """
        Args:
            merges: pair of IDs -> ID; no two make the same ID.
            pattern: the regex of "gpt2" or "gpt4".
            byte_ids: the ID of each of the 256 bytes; None: byte b has ID b.
            special_ids: IDs of the special tokens that blocks may contain.
            most_words: maximum number of cached words; one block may exceed it.
        """
        self._merger = Merger(merges, byte_ids)
        self._pattern = pattern
        self._special_ids = np.array([NO_TOKEN, *sorted(special_ids)], np.int64)
        self._most_words = most_words
        self._clear()

    def _clear(self) -> None:
        """Clear the cache."""
        self._lists = IdLists()
        # The first lists are that of NO_TOKEN, which is empty, and those of the special tokens.
        self._lists.add(self._special_ids[1:], self._special_ids != NO_TOKEN)
        self._words = WordNumbers(len(self._lists), LONGEST_KEPT)
        # Bytes and lengths of the words that have a number but no list yet.
        self._unmerged: list[tuple[NDArray[np.uint8], NDArray[np.int64]]] = []

    def _is_full(self) -> bool:
        return (
            self._words.next > self._most_words
            or self._lists.total > 4 * self._most_words
            or self._words.long_count > MOST_LONG_WORDS
        )

    def encode(
        self,
        block: bytes,
        placeholders: NDArray[np.int64] | None = None,
        placeholder_ids: NDArray[np.int64] | None = None,
    ) -> NDArray[np.uint32]:
        """The IDs of a block of text.

        Args:
            block: valid UTF-8; half a megabyte is a good size.
            placeholders: ascending offsets of each `PLACEHOLDER` in the block that represents a special token.
            placeholder_ids: the ID of each of these special tokens, or `NO_TOKEN`.
        """
        return next(self.encode_all([(block, placeholders, placeholder_ids)]))

    def encode_all(self, blocks: Iterable[BlockArguments]) -> Iterator[NDArray[np.uint32]]:
        """The IDs of each block, given as tuples of the arguments of `encode`. Faster than `encode` block by block."""
        waiting: list[NDArray[np.int32]] = []
        for block in blocks:
            if len(waiting) == BLOCKS_PER_MERGE or self._is_full():
                yield from self._ids(waiting)
                waiting = []
                if self._is_full():
                    self._clear()
            with self._clear_on_interrupt():
                waiting.append(self._numbers(*block))
                if sum(len(data) for data, _ in self._unmerged) >= MOST_UNMERGED:
                    self._merge()
        yield from self._ids(waiting)

    def _ids(self, numbers_of_blocks: Iterable[NDArray[np.int32]]) -> Iterator[NDArray[np.uint32]]:
        with self._clear_on_interrupt():
            self._merge()
        return map(self._lists.of, numbers_of_blocks)

    @contextmanager
    def _clear_on_interrupt(self) -> Iterator[None]:
        """Clear the cache if the block raises, for instance on Ctrl-C: numbers and lists might be inconsistent."""
        try:
            yield
        except BaseException:
            self._clear()
            raise

    def _numbers(
        self, block: bytes, placeholders: NDArray[np.int64] | None, placeholder_ids: NDArray[np.int64] | None
    ) -> NDArray[np.int32]:
        """For each piece, the number of the list that holds its IDs."""
        pieces = Pieces.between(piece_bounds(block, self._pattern, placeholders), block)
        is_word = np.ones(len(pieces.starts), bool)
        if placeholders is None or placeholder_ids is None:
            numbers, new = self._words.of(pieces, is_word)
        else:
            special = np.searchsorted(pieces.starts, placeholders)
            is_word[special] = False
            numbers, new = self._words.of(pieces, is_word)
            numbers[special] = np.searchsorted(self._special_ids, placeholder_ids)
        if len(new):
            lengths = pieces.lengths[new]
            data = np.frombuffer(pieces.padded, np.uint8)[concatenated_ranges(pieces.starts[new], lengths)]
            self._unmerged.append((data, lengths))
        return numbers

    def _merge(self) -> None:
        """Compute the IDs of the words that have no list yet."""
        if self._unmerged:
            data = np.concatenate([data for data, _ in self._unmerged])
            lengths = np.concatenate([lengths for _, lengths in self._unmerged])
            self._lists.add(*self._merger.merge_words(data, lengths))
            self._unmerged = []
