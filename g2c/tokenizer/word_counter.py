"""Counting the words of whole blocks in numpy: what training with the gpt2 or gpt4 pattern needs of a corpus.

    block     "the cat, the bat"
    pieces    "the"  " cat"  ","  " the"  " bat"          piece_bounds (splitting.py)
    numbers     0      1      2     3      4              find, or a new number (word_table.py)
    counts      1      1      1     1      1              bincount, added up over the blocks

Words are numbered in the order in which they first appear, so the list of words with their counts is in that order, on
which the plain algorithm's choice among equally frequent pairs depends.
"""

import numpy as np

from g2c.tokenizer.splitting import piece_bounds
from g2c.tokenizer.word_table import LONGEST, Pieces, WordTable, distinct


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
        pieces = Pieces.between(piece_bounds(block, self._pattern, stand_ins), block)
        numbers = self._table.find(pieces.first, pieces.second)
        is_text = np.ones(len(numbers), bool)
        if stand_ins is not None:
            is_text[np.searchsorted(pieces.starts, stand_ins)] = False
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
        known = len(self._counts)
        new_numbers = (known + np.searchsorted(appear, new_short)).astype(np.int32)
        long_numbers = known + np.searchsorted(appear, list(new_long.values()))

        self._table.add(pieces.first[new_short], pieces.second[new_short], new_numbers)
        numbers[short] = new_numbers[which]
        self._long_words.update(zip(new_long, long_numbers.tolist()))
        numbers[long] = [self._long_words[word] for word in long_words]
        counts = np.bincount(numbers[is_text], minlength=known + len(appear))
        counts[:known] += self._counts
        self._counts = counts

    def words(self) -> list[tuple[bytes, int]]:
        """The different words in order of first appearance, each with its count."""
        words = self._table.words(len(self._counts))
        for word, number in self._long_words.items():
            words[number] = word
        return list(zip(words, self._counts.tolist()))
