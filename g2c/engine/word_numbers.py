"""Numbers for words: the different words of block after block, in the order in which they first appear.

    pieces     "the"  " cat"  ","  " the"  " bat"  ","  " internationalization"
    numbers      0      1      2     3      4      2      5

Short words, which nearly all are, have keys and stand in a table (word_table.py). Long ones stand in a dictionary.
"""

import math

import numpy as np

from g2c.engine.word_table import LONGEST, Pieces, WordTable, distinct


class WordNumbers:
    """Gives each different word the next number."""

    def __init__(self, first: int = 0, longest_kept: float = math.inf) -> None:
        """
        Args:
            first: the number of the first word.
            longest_kept: words longer than this, in bytes, are forgotten at once: they get another number next time.
        """
        self.next = first
        """The number that the next new word gets."""
        self._table = WordTable()
        self._long_words: dict[bytes, int] = {}
        self._longest_kept = longest_kept

    @property
    def long_count(self) -> int:
        """How many words there are in the dictionary."""
        return len(self._long_words)

    def of(self, pieces: Pieces, is_word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the pieces of a block. New words get the next ones, in the order in which they appear.

        Args:
            is_word: for each piece, whether it needs a number. Where it is False, the number means nothing.

        Returns:
            (number (int32) of each piece, ascending positions among the pieces at which new words first appear).
        """
        numbers = self._table.find(pieces.first, pieces.second)
        missing = np.flatnonzero(is_word & (numbers < 0))
        is_long = pieces.lengths[missing] > LONGEST
        long, short = missing[is_long], missing[~is_long]
        long_words = pieces.text(long)

        # Where new words first appear: short ones by their keys, long ones in a dictionary.
        positions, which = distinct(pieces.first[short], pieces.second[short])
        new_short = short[positions]
        new_long: dict[bytes, int] = {}
        for word, place in zip(long_words, long.tolist()):
            if word not in self._long_words:
                new_long.setdefault(word, place)
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

    def words(self) -> tuple[np.ndarray, np.ndarray]:
        """All words in the order of their numbers, when these go from 0 on and none was forgotten.

        Returns:
            (bytes of all words, one after the other (uint8), length of each in bytes (int64)).
        """
        data, lengths = self._table.words(self.next)
        # A long word has a number, but no keys: there it is put in.
        numbers = np.array(list(self._long_words.values()), np.int64)
        long_lengths = np.array(list(map(len, self._long_words)), np.int64)
        places = np.repeat((np.cumsum(lengths) - lengths)[numbers], long_lengths)
        data = np.insert(data, places, np.frombuffer(b"".join(self._long_words), np.uint8))
        lengths[numbers] = long_lengths
        return data, lengths
