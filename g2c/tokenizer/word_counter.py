"""Counting the words of whole blocks in numpy: what training with the gpt2 or gpt4 pattern needs of a corpus.

    block     "the cat, the bat"
    pieces    "the"  " cat"  ","  " the"  " bat"          piece_bounds (splitting.py)
    numbers     0      1      2     3      4              find, or a new number (word_table.py)
    counts      1      1      1     1      1              bincount, added up over the blocks

Words are numbered in the order in which they first appear, so the list of words with their counts is in that order, on
which the plain algorithm's choice among equally frequent pairs depends.
"""

import numpy as np

from g2c.tokenizer.splitting import PADDING, piece_bounds
from g2c.tokenizer.word_table import LONGEST, WordTable, distinct, word_keys, words_at


class WordCounter:
    """Counts the pieces of block after block. Memory grows with the number of different ones."""

    def __init__(self, pattern: str) -> None:
        """Args: pattern: the regex of "gpt2" or "gpt4"."""
        self._pattern = pattern
        self._table = WordTable()
        self._long_words: dict[bytes, int] = {}
        self._counts = np.zeros(0, np.int64)

    def count(self, block: bytes, stand_ins: np.ndarray | None = None) -> None:
        """Count the pieces of a block of text.

        Args:
            block: valid UTF-8.
            stand_ins: ascending offsets of `STAND_IN`, which is not counted and parts the texts around it.
        """
        bounds = piece_bounds(block, self._pattern, stand_ins)
        starts, lengths = bounds[:-1], np.diff(bounds)
        if stand_ins is not None and len(stand_ins):
            is_text = np.ones(len(starts), bool)
            is_text[np.searchsorted(starts, stand_ins)] = False
            starts, lengths = starts[is_text], lengths[is_text]
        first, second = word_keys(block + PADDING, starts, lengths)
        numbers = self._table.find(first, second)
        is_long = lengths > LONGEST
        long, short = np.flatnonzero(is_long), np.flatnonzero(~is_long & (numbers < 0))
        long_words = words_at(block, starts[long], lengths[long])

        # Where new words first appear: short ones by their keys, long ones in a dictionary.
        positions, which = distinct(first[short], second[short])
        new_short = short[positions]
        new_long: dict[bytes, int] = {}
        for position, word in zip(long.tolist(), long_words):
            if word not in self._long_words:
                new_long.setdefault(word, position)
        appear = np.sort(np.concatenate([new_short, np.array(list(new_long.values()), np.int64)]))

        def number(position: np.ndarray) -> np.ndarray:
            return (len(self._counts) + np.searchsorted(appear, position)).astype(np.int32)

        new_numbers = number(new_short)
        self._table.add(first[new_short], second[new_short], new_numbers)
        numbers[short] = new_numbers[which]
        self._long_words.update((word, int(number(position))) for word, position in new_long.items())
        numbers[long] = [self._long_words[word] for word in long_words]
        counts = np.bincount(numbers, minlength=len(self._counts) + len(appear))
        counts[: len(self._counts)] += self._counts
        self._counts = counts

    def words(self) -> list[tuple[bytes, int]]:
        """The different words in order of first appearance, each with its count."""
        words = self._table.words(len(self._counts))
        for word, number in self._long_words.items():
            words[number] = word
        return list(zip(words, self._counts.tolist()))
