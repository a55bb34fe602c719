"""Counting the words of whole blocks in numpy: what training with the gpt2 or gpt4 pattern needs of a corpus.

    block     "the cat, the bat"
    pieces    "the"  " cat"  ","  " the"  " bat"          piece_bounds (splitting.py)
    numbers     0      1      2     3      4              find, or a new number (word_table.py)
    counts      1      1      1     1      1              bincount, added up over the blocks

Words are numbered in the order in which they first appear, so the list of words with their counts is in that order, on
which the plain algorithm's choice among equally frequent pairs depends.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from g2c.tokenizer.splitting import piece_bounds
from g2c.tokenizer.word_table import LONGEST, Pieces, WordTable, distinct

PIECES = 1 << 20
"""How many pieces are numbered before they are added up: it takes the time of looking at every word once."""


class CountedWords(NamedTuple):
    """Words and how often each occurs, in three arrays, since there can be millions of them.

        data       l o w l o w e r n e w         the bytes of all words, one after the other
        lengths    3     5         3             of each word, in bytes (int64)
        counts     5     2         6             how often it occurs (int64)

    >>> words = CountedWords.of([(b"low", 5), (b"lower", 2), (b"new", 6)])
    >>> words.data, words.lengths.tolist(), words.counts.tolist()
    (b'lowlowernew', [3, 5, 3], [5, 2, 6])
    >>> dict(words.items())
    {b'low': 5, b'lower': 2, b'new': 6}
    """

    data: bytes
    lengths: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, words_with_counts: Iterable[tuple[bytes, int]]) -> "CountedWords":
        """The same from (word, count)."""
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
    """Counts the pieces of block after block. Memory grows with the number of different ones."""

    def __init__(self, pattern: str) -> None:
        """Args: pattern: a regex; that of "gpt2" or "gpt4" where blocks are to be counted."""
        self._pattern = pattern
        self._table = WordTable()
        self._long_words: dict[bytes, int] = {}
        self._counts = np.zeros(0, np.int64)
        self._uncounted: list[np.ndarray] = []

    def __len__(self) -> int:
        """How many different words there are."""
        return len(self._table) + len(self._long_words)

    def count(self, block: bytes, stand_ins: np.ndarray | None = None) -> None:
        """Count the pieces of a block of text.

        Args:
            block: valid UTF-8.
            stand_ins: ascending offsets of `STAND_IN`, which is not counted and parts the texts around it.
        """
        pieces = Pieces.between(piece_bounds(block, self._pattern, stand_ins), block)
        is_text = np.ones(len(pieces.starts), bool)
        if stand_ins is not None:
            is_text[np.searchsorted(pieces.starts, stand_ins)] = False
        self._uncounted.append(self._numbers(pieces, is_text)[is_text])
        if sum(map(len, self._uncounted)) > PIECES:
            self._add_up()

    def add(self, words: CountedWords) -> None:
        """Count words that were counted before, each as often as it says. No word may be in it twice."""
        bounds = np.append(0, np.cumsum(words.lengths))
        numbers = self._numbers(Pieces.between(bounds, words.data), np.ones(len(words.lengths), bool))
        self._add_up()
        self._counts[numbers] += words.counts

    def _add_up(self) -> None:
        """Bring the counts up to date."""
        numbers = np.concatenate([np.zeros(0, np.int32), *self._uncounted])
        counts = np.bincount(numbers, minlength=len(self))
        counts[: len(self._counts)] += self._counts
        self._counts, self._uncounted = counts, []

    def _numbers(self, pieces: Pieces, is_text: np.ndarray) -> np.ndarray:
        """The number of each piece. New words get the next numbers, in the order in which they appear.

        Where `is_text` is False, the number means nothing.
        """
        numbers = self._table.find(pieces.first, pieces.second)
        is_long = pieces.lengths > LONGEST
        long, short = np.flatnonzero(is_long), np.flatnonzero(is_text & ~is_long & (numbers < 0))
        long_words = pieces.text(long)

        # Where new words first appear: short ones by their keys, long ones in a dictionary.
        positions, which = distinct(pieces.first[short], pieces.second[short])
        new_short = short[positions]
        new_long: dict[bytes, int] = {}
        for place, word in zip(long.tolist(), long_words):
            if word not in self._long_words:
                new_long.setdefault(word, place)
        appear = np.sort(np.concatenate([new_short, np.array(list(new_long.values()), np.int64)]))
        new_numbers = (len(self) + np.searchsorted(appear, new_short)).astype(np.int32)
        long_numbers = len(self) + np.searchsorted(appear, list(new_long.values()))

        self._table.add(pieces.first[new_short], pieces.second[new_short], new_numbers)
        numbers[short] = new_numbers[which]
        self._long_words.update(zip(new_long, long_numbers.tolist()))
        numbers[long] = [self._long_words[word] for word in long_words]
        return numbers

    def words(self) -> CountedWords:
        """The different words in order of first appearance, each with its count."""
        self._add_up()
        data, lengths = self._table.words(len(self))
        # A long word has a number, but no keys: there it is put in.
        numbers = np.array(list(self._long_words.values()), np.int64)
        long_lengths = np.array(list(map(len, self._long_words)), np.int64)
        places = np.repeat((np.cumsum(lengths) - lengths)[numbers], long_lengths)
        data = np.insert(data, places, np.frombuffer(b"".join(self._long_words), np.uint8))
        lengths[numbers] = long_lengths
        return CountedWords(data.tobytes(), lengths, self._counts)
