"""Numbers for words: the distinct words of block after block, in order of first appearance.

    pieces     "the"  " cat"  ","  " the"  " bat"  ","  " internationalization"
    numbers      0      1      2     3      4      2      5

Short words, nearly all of them, have keys and are kept in a hash table (word_table.py); long ones in a dictionary.
"""

import math

import numpy as np
from numpy.typing import NDArray

from g2c.engine.word_table import LONGEST, Pieces, WordTable, distinct


class WordNumbers:
    """Gives each distinct word the next number."""

    def __init__(self, first: int = 0, longest_kept: float = math.inf) -> None:
        """
        Args:
            first: the number of the first word.
            longest_kept: longer words (in bytes) are forgotten at once and get a new number the next time.
        """
        self.next = first
        """The number of the next new word."""
        self._table = WordTable()
        self._long_words: dict[bytes, int] = {}
        self._longest_kept = longest_kept

    @property
    def long_count(self) -> int:
        """Number of words in the dictionary."""
        return len(self._long_words)

    def of(self, pieces: Pieces, is_word: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of the pieces of a block. New words get the next numbers, in order of appearance.

        Args:
            is_word: for each piece, whether it needs a number. Where False, the number returned is meaningless.

        Returns:
            (number of each piece, ascending indices of the pieces at which new words first appear).
        """
        numbers = self._table.find(pieces.first, pieces.second)
        missing = np.flatnonzero(is_word & (numbers < 0))
        is_long = pieces.lengths[missing] > LONGEST
        long, short = missing[is_long], missing[~is_long]
        long_words = pieces.text(long)

        # Where new words first appear: short ones compared by their keys, long ones in a dictionary.
        positions, which = distinct(pieces.first[short], pieces.second[short])
        new_short = short[positions]
        new_long: dict[bytes, int] = {}
        for word, index in zip(long_words, long.tolist()):
            if word not in self._long_words:
                new_long.setdefault(word, index)
        new = np.sort(np.concatenate([new_short, np.array(list(new_long.values()), np.int64)]))
        short_numbers = (self.next + np.searchsorted(new, new_short)).astype(np.int32)
        long_numbers = self.next + np.searchsorted(new, list(new_long.values()))

        self._table.add(pieces.first[new_short], pieces.second[new_short], short_numbers)
        numbers[short] = short_numbers[which]
        self._long_words.update(zip(new_long, long_numbers.tolist()))
        numbers[long] = [self._long_words[word] for word in long_words]
        for word in new_long:
            if len(word) > self._longest_kept:
                del self._long_words[word]
        self.next += len(new)
        return numbers, new

    def words(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """All words in the order of their numbers. Only if the first number was 0 and no word was forgotten.

        Returns:
            (bytes of all words, concatenated; length of each in bytes).
        """
        data, lengths = self._table.words(self.next)
        # Long words have numbers, but no keys in the table: insert their bytes.
        numbers = np.array(list(self._long_words.values()), np.int64)
        long_lengths = np.array(list(map(len, self._long_words)), np.int64)
        offsets = np.repeat((np.cumsum(lengths) - lengths)[numbers], long_lengths)
        data = np.insert(data, offsets, np.frombuffer(b"".join(self._long_words), np.uint8))
        lengths[numbers] = long_lengths
        return data, lengths
