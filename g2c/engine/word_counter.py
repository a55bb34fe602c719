"""Counting the words of whole blocks in numpy: all that training with the gpt2 or gpt4 pattern needs of a corpus.

    block     "the cat, the bat"
    pieces    "the"  " cat"  ","  " the"  " bat"          piece_bounds (splitting.py)
    numbers     0      1      2     3      4              WordNumbers (word_numbers.py)
    counts      1      1      1     1      1              bincount, added up over the blocks

Words are numbered in order of first appearance, and so the list of words and counts is in that order, too. Training
breaks ties among equally frequent pairs by it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.splitting import piece_bounds
from g2c.engine.word_numbers import WordNumbers
from g2c.engine.word_table import Pieces

PIECES = 1 << 20
"""Number of pieces to collect before adding up the counts, which takes time proportional to the number of words."""


class WordCounts(NamedTuple):
    """Words and how often each occurs, in three arrays, because there can be millions of words.

        data       l o w l o w e r n e w         the bytes of all words, concatenated
        lengths    3     5         3             length of each word in bytes (int64)
        counts     5     2         6             how often each occurs (int64)

    >>> words = WordCounts.of([(b"low", 5), (b"lower", 2), (b"new", 6)])
    >>> words.data, words.lengths.tolist(), words.counts.tolist()
    (b'lowlowernew', [3, 5, 3], [5, 2, 6])
    >>> dict(words.items())
    {b'low': 5, b'lower': 2, b'new': 6}
    """

    data: bytes
    lengths: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, words_with_counts: Iterable[tuple[bytes, int]]) -> "WordCounts":
        """Build the arrays from (word, count) pairs."""
        pairs = list(words_with_counts)
        words, counts = [word for word, _ in pairs], [count for _, count in pairs]
        return cls(b"".join(words), np.fromiter(map(len, words), np.int64, len(words)), np.array(counts, np.int64))

    def items(self) -> Iterator[tuple[bytes, int]]:
        """(word, count) for each word."""
        begin = 0
        for end, count in zip(np.cumsum(self.lengths).tolist(), self.counts.tolist()):
            yield self.data[begin:end], count
            begin = end


class WordCounter:
    """Counts the pieces of block after block. Memory grows with the number of distinct pieces."""

    def __init__(self, pattern: str) -> None:
        """Args: pattern: the regex of "gpt2" or "gpt4" for `count`; `add` works with any."""
        self._pattern = pattern
        self._words = WordNumbers()
        self._counts = np.zeros(0, np.int64)
        self._uncounted: list[NDArray[np.int32]] = []

    def count(self, block: bytes, placeholders: NDArray[np.int64] | None = None) -> None:
        """Count the pieces of a block of text.

        Args:
            block: valid UTF-8.
            placeholders: ascending offsets of each `PLACEHOLDER`, which is not counted and separates the texts around
                it.
        """
        pieces = Pieces.between(piece_bounds(block, self._pattern, placeholders), block)
        is_text = np.ones(len(pieces.starts), bool)
        if placeholders is not None:
            is_text[np.searchsorted(pieces.starts, placeholders)] = False
        numbers, _ = self._words.of(pieces, is_text)
        self._uncounted.append(numbers[is_text])
        if sum(map(len, self._uncounted)) > PIECES:
            self._add_up()

    def add(self, words: WordCounts) -> None:
        """Add counts from another counter. Each word may appear only once in `words`."""
        bounds = np.append(0, np.cumsum(words.lengths))
        numbers, _ = self._words.of(Pieces.between(bounds, words.data), np.ones(len(words.lengths), bool))
        self._add_up()
        self._counts[numbers] += words.counts

    def _add_up(self) -> None:
        """Bring the counts up to date."""
        numbers = np.concatenate([np.zeros(0, np.int32), *self._uncounted])
        counts = np.bincount(numbers, minlength=self._words.next)
        counts[: len(self._counts)] += self._counts
        self._counts, self._uncounted = counts, []

    def words(self) -> WordCounts:
        """The distinct words in order of first appearance, each with its count."""
        self._add_up()
        data, lengths = self._words.words()
        return WordCounts(data.tobytes(), lengths, self._counts)
