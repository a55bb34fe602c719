"""Encoding whole blocks of text in numpy, for the gpt2 and gpt4 patterns: faster than the Rust libraries, same IDs.

    block    "the cat, the bat"                                     bytes, UTF-8
      |   piece_bounds (splitting.py)
    pieces   "the"  " cat"  ","  " the"  " bat"                     offsets
      |   WordNumbers (word_numbers.py)
    words      7      12     3      9     40  <- new: it gets the next number, and is merged
      |
    IDs      260    311     44    264     98 300                    uint32

Text repeats itself: of the pieces of a block nearly all are words that were seen before, and their IDs are looked up.
Those that are new, about one in a hundred after the first megabytes, are merged all together (merging.py). So Python
runs through about a hundred numpy calls for each block, not through millions of steps.

What is remembered is bounded: when the table is full, all of it is forgotten and it fills again from the next block.
The IDs do not depend on what is remembered, so any number of processes can share the blocks of a corpus.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from g2c.engine.merging import Merger
from g2c.engine.splitting import piece_bounds
from g2c.engine.word_numbers import WordNumbers
from g2c.engine.word_table import Pieces
from g2c.tokenizer.base import Pair

MOST_WORDS = 1 << 19
"""When more words than this are remembered, all are forgotten before the next block."""

MOST_LONG_WORDS = 1 << 16
"""The same for words that are too long for the table, which cost more memory."""

LONGEST_KEPT = 256
"""Pieces longer than this, in bytes, are not remembered."""

BLOCKS_TOGETHER = 8
"""How many blocks wait until the new words of all of them are merged."""

MOST_UNMERGED = 1 << 20
"""When the new words have this many bytes or more, they are merged at once."""

NO_TOKEN = -1
"""In place of a special token's ID: two texts meet here, with no token between them."""


def spread(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The indices start, start + 1, … start + length - 1 for each start, one after the other.

    >>> spread(np.array([20, 50]), np.array([3, 2])).tolist()
    [20, 21, 22, 50, 51]
    """
    # Counting 0, 1, 2, … through all stretches, what is to be added to each number is the same within a stretch.
    begins = np.cumsum(lengths, dtype=lengths.dtype) - lengths
    return np.arange(lengths.sum(), dtype=lengths.dtype) + np.repeat(starts - begins, lengths)


class IdLists:
    """Lists of IDs of any length, numbered in the order in which they are added, in one flat array.

    Three lists:

        number      0    1        2
        ids        260  311 44 98 264 300
        offsets     0    1        4       6      where a list begins, and the one before it ends
    """

    def __init__(self) -> None:
        self._ids, self._offsets = _Column(np.uint32), _Column(np.int32)
        self._offsets.append(np.zeros(1, np.int32))

    def __len__(self) -> int:
        return self._offsets.size - 1

    @property
    def total(self) -> int:
        """How many IDs there are in all lists."""
        return self._ids.size

    def add(self, ids: np.ndarray, counts: np.ndarray) -> None:
        """Add lists, given one after the other with the length of each. They get the next numbers."""
        self._offsets.append(self._ids.size + np.cumsum(counts))
        self._ids.append(ids)

    def of(self, numbers: np.ndarray) -> np.ndarray:
        """The lists with these numbers, one after the other."""
        # Twice as fast as the same look-ups in brackets.
        begins, ends = self._offsets.values[:-1].take(numbers), self._offsets.values[1:].take(numbers)
        return self._ids.values.take(spread(begins, ends - begins))


class _Column:
    """An array that grows at its end: twice the memory whenever it is full."""

    def __init__(self, dtype: type) -> None:
        self._memory = np.empty(1 << 12, dtype)
        self.size = 0

    @property
    def values(self) -> np.ndarray:
        return self._memory[: self.size]

    def append(self, values: np.ndarray) -> None:
        size = self.size + len(values)
        if size > len(self._memory):
            memory = np.empty(2 * size, self._memory.dtype)
            memory[: self.size] = self.values
            self._memory = memory
        self._memory[self.size : size] = values
        self.size = size


class VectorizedEncoder:
    """Encodes block after block with a tokenizer's merges. See the drawing at the top.

    Every word that is met gets the next number at once. What its IDs are is found out later, for all that are new in
    several blocks together: few and large numpy calls. Until then the bytes of the new words wait.
    """

    def __init__(
        self,
        merges: Mapping[Pair, int],
        pattern: str,
        *,
        byte_ids: Sequence[int] | None = None,
        special_ids: Sequence[int] = (),
        most_words: int = MOST_WORDS,
    ) -> None:
        """
        Args:
            merges: pair of IDs -> ID; no two make the same ID.
            pattern: the regex of "gpt2" or "gpt4".
            byte_ids: the ID of each of the 256 bytes; None: byte b has ID b.
            special_ids: IDs of the special tokens that blocks may contain.
            most_words: how many words are remembered at most, give or take those of one block.
        """
        self._merger = Merger(merges, byte_ids)
        self._pattern = pattern
        self._special_ids = np.array([NO_TOKEN, *sorted(special_ids)], np.int64)
        self._most_words = most_words
        self._forget()

    def _forget(self) -> None:
        self._lists = IdLists()
        # The first lists are those of NO_TOKEN, which is empty, and of the special tokens.
        self._lists.add(self._special_ids[1:], self._special_ids != NO_TOKEN)
        self._words = WordNumbers(len(self._lists), LONGEST_KEPT)
        # The bytes and lengths of words that have a number, but no list yet.
        self._unmerged: list[tuple[np.ndarray, np.ndarray]] = []

    def _is_full(self) -> bool:
        return (
            self._words.next > self._most_words
            or self._lists.total > 4 * self._most_words
            or self._words.long_count > MOST_LONG_WORDS
        )

    def encode(
        self, block: bytes, stand_ins: np.ndarray | None = None, stand_in_ids: np.ndarray | None = None
    ) -> np.ndarray:
        """The IDs of a block of text.

        Args:
            block: valid UTF-8; half a megabyte is a good size.
            stand_ins: ascending offsets of `STAND_IN` in the block, where special tokens stand.
            stand_in_ids: the ID of each of these special tokens, or `NO_TOKEN`.

        Returns:
            uint32 array.
        """
        return next(self.encode_all([(block, stand_ins, stand_in_ids)]))

    def encode_all(self, blocks: Iterable[tuple[bytes, np.ndarray | None, np.ndarray | None]]) -> Iterator[np.ndarray]:
        """The IDs of each block of a text of any length, given as the arguments of `encode`: the same, and faster."""
        waiting: list[np.ndarray] = []
        for block in blocks:
            if len(waiting) == BLOCKS_TOGETHER or self._is_full():
                yield from self._ids(waiting)
                waiting = []
                if self._is_full():
                    self._forget()
            with self._all_or_nothing():
                waiting.append(self._numbers(*block))
                if sum(len(data) for data, _ in self._unmerged) >= MOST_UNMERGED:
                    self._merge()
        yield from self._ids(waiting)

    def _ids(self, numbers_of_blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        with self._all_or_nothing():
            self._merge()
        return map(self._lists.of, numbers_of_blocks)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Forget everything when the work is stopped in the middle: numbers and lists might not fit together."""
        try:
            yield
        except BaseException:
            self._forget()
            raise

    def _numbers(self, block: bytes, stand_ins: np.ndarray | None, stand_in_ids: np.ndarray | None) -> np.ndarray:
        """The number (int32) of the list with the IDs of each piece."""
        pieces = Pieces.between(piece_bounds(block, self._pattern, stand_ins), block)
        special = np.searchsorted(pieces.starts, () if stand_ins is None else stand_ins)
        is_word = np.ones(len(pieces.starts), bool)
        is_word[special] = False
        numbers, new = self._words.of(pieces, is_word)
        if len(special):
            numbers[special] = np.searchsorted(self._special_ids, stand_in_ids)
        if len(new):
            lengths = pieces.lengths[new]
            data = np.frombuffer(pieces.padded, np.uint8)[spread(pieces.starts[new], lengths)]
            self._unmerged.append((data, lengths))
        return numbers

    def _merge(self) -> None:
        """Find the IDs of the words that have no list yet."""
        if self._unmerged:
            data, lengths = map(np.concatenate, zip(*self._unmerged))
            self._lists.add(*self._merger.merge_words(data, lengths))
            self._unmerged = []
