"""A hash table of words in numpy: hundreds of thousands of look-ups in one call.

A word of at most 15 bytes fits into two whole numbers of 64 bits, its keys, with its length in the last byte, so that
"a" and "a" followed by a zero byte differ:

    " tokenizer"     20 74 6f 6b 65 6e 69 7a   65 72 00 00 00 00 00 0a
                     first: bytes 0 to 7       second: bytes 8 to 14, length

Each word has a number, given by whoever adds it. Numbers stand in slots; the slot where the search for a word begins is
computed from its keys, and when another word is there, the next slot is tried (open addressing with linear probing).
At most half of the slots are taken, so a search takes one or two steps:

    slot           0    1    2    3    4    5    6    7
    number        -1    2   -1    0    1   -1   -1   -1      -1: empty
    firsts         .    c    .    a    b                     keys of the word in the slot
    seconds        .    c'   .    a'   b'

`find` does each step for all words that are still searched for, so it runs through few and large numpy calls.
"""

import numpy as np

LONGEST = 15
"""Bytes of the longest word that fits into the two keys."""

_LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
"""_LOW_BYTES[k] keeps the first k bytes of a number read in little-endian order."""

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
    # A number begins at every byte: eight bytes wide, one byte apart.
    numbers = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))
    first = numbers[starts] & _LOW_BYTES[np.minimum(lengths, 8)]
    second = numbers[np.minimum(starts + 8, len(numbers) - 1)] & _LOW_BYTES[np.clip(lengths - 8, 0, 7)]
    second |= lengths.astype(np.uint64) << np.uint64(56)
    return first, second


def words_of_keys(first: np.ndarray, second: np.ndarray) -> list[bytes]:
    """The words that have these keys: `word_keys` backwards."""
    data = np.column_stack([first, second & _LOW_BYTES[7]]).astype("<u8").tobytes()
    lengths = (second >> np.uint64(56)).tolist()
    return [data[16 * row : 16 * row + length] for row, length in enumerate(lengths)]


class WordTable:
    """Pairs of keys and their numbers. See the drawing above."""

    def __init__(self, slots: int = 1 << 12) -> None:
        """Args: slots: how many to begin with, a power of two. There will be more as words are added."""
        self._clear(slots)

    def _clear(self, slots: int) -> None:
        self._firsts = np.zeros(slots, np.uint64)
        self._seconds = np.zeros(slots, np.uint64)
        self._numbers = np.full(slots, -1, np.int32)
        self._shift = np.uint64(64 - (slots.bit_length() - 1))
        self._last_slot = slots - 1
        self._size = 0

    def __len__(self) -> int:
        """How many words there are."""
        return self._size

    def find(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The numbers (int32) of words, given by their keys. -1 for a word that is not in the table."""
        slots = self._first_slots(first, second)
        found = self._numbers[slots]
        # Most words are where the search begins, or the slot there is empty: then nothing is left to do.
        wrong = (self._firsts[slots] != first) | (self._seconds[slots] != second)
        searching = np.flatnonzero(wrong & (found >= 0))
        while len(searching):
            slots_now = (slots[searching] + 1) & self._last_slot
            slots[searching] = slots_now
            numbers = self._numbers[slots_now]
            found[searching] = numbers
            wrong = (self._firsts[slots_now] != first[searching]) | (self._seconds[slots_now] != second[searching])
            searching = searching[wrong & (numbers >= 0)]
        return found

    def add(self, first: np.ndarray, second: np.ndarray, numbers: np.ndarray) -> None:
        """Add words, all different and none of them in the table yet, with their numbers (int32, 0 or more)."""
        size = self._size + len(numbers)
        if 2 * size > len(self._numbers):
            taken = self._numbers >= 0
            words = self._firsts[taken], self._seconds[taken], self._numbers[taken]
            self._clear(1 << (4 * size - 1).bit_length())
            self._place(*words)
        self._place(first, second, numbers)
        self._size = size

    def _place(self, first: np.ndarray, second: np.ndarray, numbers: np.ndarray) -> None:
        """Write words into the first empty slots that a search for them comes to."""
        slots = self._first_slots(first, second)
        while len(numbers):
            # When several words are written into one empty slot, the last stays there; all others move on.
            empty = self._numbers[slots] < 0
            self._numbers[slots[empty]] = numbers[empty]
            settled = self._numbers[slots] == numbers
            self._firsts[slots[settled]] = first[settled]
            self._seconds[slots[settled]] = second[settled]
            first, second, numbers = first[~settled], second[~settled], numbers[~settled]
            slots = (slots[~settled] + 1) & self._last_slot

    def _first_slots(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Where the search for each word begins: the highest bits of its mixed keys."""
        return (((first ^ second * _MIX_SECOND) * _MIX_FIRST) >> self._shift).astype(np.int64)


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
