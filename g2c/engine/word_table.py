"""A hash table of words in numpy: hundreds of thousands of look-ups in one call.

A word of at most 15 bytes fits into two whole numbers of 64 bits, its keys, with its length in the last byte, so that
"a" and "a" followed by a zero byte differ:

    " tokenizer"     20 74 6f 6b 65 6e 69 7a   65 72 00 00 00 00 00 0a
                     first: bytes 0 to 7       second: bytes 8 to 14, length

Each word has a number, given by whoever adds it, and its keys stand at that number. The numbers stand in slots: the
slot where the search for a word begins is computed from its keys, and when another word is there, the next slot is
tried (open addressing with linear probing). At most half of the slots are taken, so a search takes one or two steps:

    number         0    1    2                               slot      0    1    2    3    4    5    6    7
    first key      a    b    c                               number   -1    2   -1    0    1   -1   -1   -1
    second key     a'   b'   c'                                       -1: empty

Each step of a search is done for all words that are still searched for, so it runs through few and large numpy calls.

Words that are frequent are met early and get low numbers, so their keys are close together, in the processor's cache.
Their slots are not: they are scattered over all of the table. So a small array, which stays in the cache, holds the low
numbers once more, each at the place that its keys lead to. `find` looks there first, which is enough for most words of
a text, and searches for the others.
"""

from typing import NamedTuple

import numpy as np

from g2c.engine.splitting import PADDING

LONGEST = 15
"""Bytes of the longest word that fits into the two keys."""

_LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
"""_LOW_BYTES[k] keeps the first k bytes of a number read in little-endian order."""

_LENGTHS = np.arange(LONGEST + 2, dtype=np.uint64)
_FIRST_BYTES = _LOW_BYTES[np.minimum(_LENGTHS, 8)]
_SECOND_BYTES = _LOW_BYTES[np.clip(_LENGTHS.astype(int) - 8, 0, 7)]
_LENGTH_BYTE = _LENGTHS << np.uint64(56)
"""For words of 0 to `LONGEST` bytes, and longer ones last: the bytes of each key that are theirs, and the last byte."""

SHORTCUT_BITS = 15
"""Places in the small array, as a power of two. It is for the numbers below half of that."""

_MIX_FIRST, _MIX_SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers with no pattern in their bits: multiplying by one spreads every bit of a key over the higher ones."""


def word_keys(padded: bytes, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two keys of each word.

    Args:
        padded: a block of text with at least 16 more bytes after its end.
        starts, lengths: where the words are in it, in bytes. Keys of words longer than `LONGEST` mean nothing.

    Returns:
        two arrays of uint64.
    """
    # Sixteen bytes wide and one byte apart, so that one look-up fetches the bytes of both keys. In brackets: since the
    # windows overlap, `take` would make a copy of all of them first.
    windows = np.ndarray(len(padded) - 15, "V16", padded, strides=(1,))
    keys = windows[starts].view("<u8").reshape(-1, 2)
    # Clipped: the last entry of each table is for all words above `LONGEST`.
    first = keys[:, 0] & _FIRST_BYTES.take(lengths, mode="clip")
    second = keys[:, 1] & _SECOND_BYTES.take(lengths, mode="clip")
    second |= _LENGTH_BYTE.take(lengths, mode="clip")
    return first, second


def words_of_keys(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words that have these keys: `word_keys` backwards.

    Returns:
        (bytes of all words, one after the other (uint8), length of each in bytes (int64)).
    """
    rows = np.column_stack([first, second]).astype("<u8", copy=False).view(np.uint8)
    lengths = (second >> np.uint64(56)).astype(np.int64)
    return rows[np.arange(16) < lengths[:, np.newaxis]], lengths


class Pieces(NamedTuple):
    """The pieces of a block of text: where they stand, and their keys."""

    padded: bytes
    """The block, with zeros after it."""
    starts: np.ndarray
    lengths: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @classmethod
    def between(cls, bounds: np.ndarray, block: bytes) -> "Pieces":
        """The pieces from each bound to the next, as `piece_bounds` gives them."""
        padded, starts, lengths = block + PADDING, bounds[:-1], np.diff(bounds)
        return cls(padded, starts, lengths, *word_keys(padded, starts, lengths))

    def text(self, which: np.ndarray) -> list[bytes]:
        """The text of some pieces, given by their positions among the pieces."""
        starts, lengths = self.starts[which].tolist(), self.lengths[which].tolist()
        return [self.padded[start : start + length] for start, length in zip(starts, lengths)]


class WordTable:
    """Pairs of keys and their numbers. See the drawing above."""

    def __init__(self, slots: int = 1 << 12) -> None:
        """Args: slots: how many to begin with, a power of two. The fewer are taken, the fewer steps a search takes."""
        self._keys = np.zeros((1 << 10, 2), np.uint64)
        self._size = 0
        # A place where nothing was written leads to number 0, whose keys tell that it is another word, or none.
        self._shortcuts = np.zeros(1 << SHORTCUT_BITS, np.int32)
        self._empty_slots(slots)

    def _empty_slots(self, count: int) -> None:
        """Make `count` empty slots, a power of two."""
        self._slots = np.full(count, -1, np.int32)
        self._last_slot = count - 1

    def __len__(self) -> int:
        """How many words there are."""
        return self._size

    def find(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The numbers (int32) of words, given by their keys. -1 for a word that is not in the table."""
        numbers = self._shortcuts.take(_mixed(first, second, SHORTCUT_BITS))
        others = np.flatnonzero(self._is_another(numbers, first, second))
        numbers[others] = self.search(first.take(others), second.take(others))
        return numbers

    def search(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The same without the small array: faster when many words are not in the table."""
        slots = self._first_slots(first, second)
        found = self._slots.take(slots)
        # Most words are where the search begins, or the slot there is empty: then nothing is left to do.
        searching = np.flatnonzero(self._is_another(found, first, second))
        while len(searching):
            slots[searching] = next_slots = (slots[searching] + 1) & self._last_slot
            found[searching] = numbers = self._slots[next_slots]
            searching = searching[self._is_another(numbers, first[searching], second[searching])]
        return found

    def _is_another(self, numbers: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Whether there is a word in the slot, and not the one with these keys."""
        # Both keys of a word stand side by side, so one look-up fetches them.
        keys = self._keys.view("V16").ravel().take(numbers).view(np.uint64).reshape(-1, 2)
        return (numbers >= 0) & ((keys[:, 0] != first) | (keys[:, 1] != second))

    def add(self, first: np.ndarray, second: np.ndarray, numbers: np.ndarray) -> None:
        """Add words, all different and none of them in the table yet.

        Args:
            first, second: their keys.
            numbers: int32, ascending and higher than all in the table; some numbers may be left out.
        """
        if not len(numbers):
            return
        needed = int(numbers[-1]) + 1
        if needed > len(self._keys):
            self._keys = np.concatenate([self._keys, np.zeros((needed, 2), np.uint64)])
        self._keys[numbers, 0], self._keys[numbers, 1] = first, second
        self._size += len(numbers)
        if 2 * self._size > len(self._slots):
            taken = self._slots[self._slots >= 0]
            self._empty_slots(1 << (4 * self._size - 1).bit_length())
            self._place(taken)
        self._place(numbers)
        # Backwards: of several words that lead to one place, the first is the most frequent, and stays.
        low = numbers[numbers < len(self._shortcuts) // 2][::-1]
        self._shortcuts[_mixed(*self._keys[low].T, SHORTCUT_BITS)] = low

    def words(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The words with the numbers 0 to `count` - 1, as `words_of_keys`; empty where there is none of that number."""
        missing = max(0, count - len(self._keys))
        return words_of_keys(*np.pad(self._keys[:count], [(0, missing), (0, 0)]).T)

    def _place(self, numbers: np.ndarray) -> None:
        """Write numbers into the first empty slots that a search for their words comes to."""
        slots = self._first_slots(*self._keys[numbers].T)
        while len(numbers):
            # When several words are written into one empty slot, the last stays there; all others move on.
            empty = self._slots[slots] < 0
            self._slots[slots[empty]] = numbers[empty]
            moves_on = self._slots[slots] != numbers
            numbers = numbers[moves_on]
            slots = (slots[moves_on] + 1) & self._last_slot

    def _first_slots(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Where the search for each word begins."""
        return _mixed(first, second, self._last_slot.bit_length())


def _mixed(first: np.ndarray, second: np.ndarray, bits: int) -> np.ndarray:
    """For each word a number of `bits` bits: the highest ones of its mixed keys."""
    return (((first ^ second * _MIX_SECOND) * _MIX_FIRST) >> np.uint64(64 - bits)).astype(np.int64)


def distinct(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which words are equal, given their keys.

    Returns:
        (positions, which): `positions[k]` is where the k-th different word first appears, ascending; word j of the
        input is the different word `which[j]`.
    """
    # A stable sort: among equal words the one that comes first in the input comes first here too.
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    positions = order[is_new]
    by_position = np.argsort(positions)
    rank = np.empty(len(positions), np.int64)
    rank[by_position] = np.arange(len(positions))
    which = np.empty(len(order), np.int64)
    which[order] = rank[np.cumsum(is_new) - 1]
    return positions[by_position], which
