"""A hash table of words in numpy: hundreds of thousands of look-ups in one call.

A word of at most 15 bytes fits into two 64-bit integers, its keys. The last byte holds its length, so that "a" and "a"
followed by a zero byte differ:

    " tokenizer"     20 74 6f 6b 65 6e 69 7a   65 72 00 00 00 00 00 0a
                     first: bytes 0 to 7       second: bytes 8 to 14, length

Each word has a number, chosen by the caller that adds it; its keys are stored at that index. The numbers are stored in
slots. The slot where the search for a word begins is a hash of its keys; if another word occupies it, the next slot is
tried (open addressing with linear probing). At most half of the slots are taken, so a search takes one or two steps:

    number         0    1    2                               slot      0    1    2    3    4    5    6    7
    first key      a    b    c                               number   -1    2   -1    0    1   -1   -1   -1
    second key     a'   b'   c'                                       -1: empty

Each step is done for all words that are still being searched for, in few numpy calls on large arrays.

Frequent words appear early and get low numbers, so their keys are close together and stay in the processor's cache.
Their slots are scattered over the whole table and do not. So a small array that fits into the cache holds the low
numbers a second time, indexed by a shorter hash. `find` looks there first, which is enough for most words of a text,
and searches the slots for the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.splitting import PADDING

LONGEST = 15
"""Length in bytes of the longest word that fits into the two keys."""

_LOW_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
"""Masks: _LOW_BYTES[k] keeps the first k bytes of a number read in little-endian order."""

_LENGTHS = np.arange(LONGEST + 2, dtype=np.uint64)
_FIRST_BYTES = _LOW_BYTES[np.minimum(_LENGTHS, 8)]
_SECOND_BYTES = _LOW_BYTES[np.clip(_LENGTHS.astype(int) - 8, 0, 7)]
_LENGTH_BYTE = _LENGTHS << np.uint64(56)
"""By length, from 0 to `LONGEST`, and one last entry for longer words: masks of the two keys, and the length byte."""

SHORTCUT_BITS = 15
"""Base-2 logarithm of the size of the small array, which holds the numbers below half its size."""

_MIX_FIRST, _MIX_SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers with no pattern in their bits: multiplication carries every bit of a key into the higher ones."""


def word_keys(
    padded: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The two keys of each word.

    Args:
        padded: a block of text followed by at least 16 more bytes.
        starts, lengths: offset and length of each word in bytes. Keys of words longer than `LONGEST` are meaningless.

    Returns:
        (first key, second key) of each word.
    """
    # Windows of sixteen bytes, one byte apart, so that one look-up fetches the bytes of both keys. Indexed with
    # brackets: because the windows overlap, `take` would first copy all of them.
    windows = np.ndarray(len(padded) - 15, "V16", padded, strides=(1,))
    keys = windows[starts].view("<u8").reshape(-1, 2)
    # mode="clip": all lengths above `LONGEST` use the last entry of each table.
    first = keys[:, 0] & _FIRST_BYTES.take(lengths, mode="clip")
    second = keys[:, 1] & _SECOND_BYTES.take(lengths, mode="clip")
    second |= _LENGTH_BYTE.take(lengths, mode="clip")
    return first, second


def words_of_keys(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The words that have these keys: the inverse of `word_keys`.

    Returns:
        (bytes of all words, concatenated; length of each in bytes).
    """
    rows = np.column_stack([first, second]).astype("<u8", copy=False).view(np.uint8)
    lengths = (second >> np.uint64(56)).astype(np.int64)
    return rows[np.arange(16) < lengths[:, np.newaxis]], lengths


class Pieces(NamedTuple):
    """The pieces of a block of text: where they are, and their keys."""

    padded: bytes
    """The block, followed by zeros."""
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    first: NDArray[np.uint64]
    second: NDArray[np.uint64]

    @classmethod
    def between(cls, bounds: NDArray[np.int64], block: bytes) -> "Pieces":
        """The pieces from each bound to the next, as `piece_bounds` gives them."""
        padded, starts, lengths = block + PADDING, bounds[:-1], np.diff(bounds)
        return cls(padded, starts, lengths, *word_keys(padded, starts, lengths))

    def text(self, which: NDArray[np.int64]) -> list[bytes]:
        """The text of the pieces with these indices."""
        starts, lengths = self.starts[which].tolist(), self.lengths[which].tolist()
        return [self.padded[start : start + length] for start, length in zip(starts, lengths)]


class WordTable:
    """Pairs of keys and their numbers. See the diagram in the module docstring."""

    def __init__(self, slots: int = 1 << 12) -> None:
        """Args: slots: initial number of slots, a power of two. The lower the load, the fewer steps a search takes."""
        self._keys = np.zeros((1 << 10, 2), np.uint64)
        self._size = 0
        # An entry never written is 0. The keys of word 0 then show that it is another word, or that there is none.
        self._shortcuts = np.zeros(1 << SHORTCUT_BITS, np.int32)
        self._empty_slots(slots)

    def _empty_slots(self, count: int) -> None:
        """Replace the slots by `count` empty ones, a power of two."""
        self._slots = np.full(count, -1, np.int32)
        self._last_slot = count - 1

    def __len__(self) -> int:
        """Number of words."""
        return self._size

    def find(self, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The numbers of words, given by their keys; -1 for a word that is not in the table."""
        numbers = self._shortcuts.take(_hash(first, second, SHORTCUT_BITS))
        others = np.flatnonzero(self._is_another(numbers, first, second))
        numbers[others] = self.search(first.take(others), second.take(others))
        return numbers

    def search(self, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The same as `find` without the small array: faster when many words are not in the table."""
        slots = self._first_slots(first, second)
        found = self._slots.take(slots)
        # Most words are in the first slot, or it is empty: then the search is over.
        searching = np.flatnonzero(self._is_another(found, first, second))
        while len(searching):
            slots[searching] = next_slots = (slots[searching] + 1) & self._last_slot
            found[searching] = numbers = self._slots[next_slots]
            searching = searching[self._is_another(numbers, first[searching], second[searching])]
        return found

    def _is_another(
        self, numbers: NDArray[np.int32], first: NDArray[np.uint64], second: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Whether these are numbers of words (not -1) that have other keys."""
        # The two keys of a word are adjacent in memory, so one look-up fetches both.
        keys = self._keys.view("V16").ravel().take(numbers).view(np.uint64).reshape(-1, 2)
        is_another: NDArray[np.bool_] = (numbers >= 0) & ((keys[:, 0] != first) | (keys[:, 1] != second))
        return is_another

    def add(self, first: NDArray[np.uint64], second: NDArray[np.uint64], numbers: NDArray[np.int32]) -> None:
        """Add distinct words, none of which is in the table yet.

        Args:
            first, second: their keys.
            numbers: ascending and higher than all in the table; gaps are allowed.
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
        # Backwards, so that among words with the same short hash the first, which is the most frequent, stays.
        low = numbers[numbers < len(self._shortcuts) // 2][::-1]
        self._shortcuts[_hash(self._keys[low, 0], self._keys[low, 1], SHORTCUT_BITS)] = low

    def words(self, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The words with the numbers 0 to `count` - 1, as from `words_of_keys`; empty for an unused number."""
        missing = max(0, count - len(self._keys))
        keys = np.pad(self._keys[:count], [(0, missing), (0, 0)])
        return words_of_keys(keys[:, 0], keys[:, 1])

    def _place(self, numbers: NDArray[np.int32]) -> None:
        """Write each number into the first empty slot that a search for its word reaches."""
        slots = self._first_slots(self._keys[numbers, 0], self._keys[numbers, 1])
        while len(numbers):
            # When several words are written into the same empty slot, the last one stays; the others move on.
            empty = self._slots[slots] < 0
            self._slots[slots[empty]] = numbers[empty]
            moves_on = self._slots[slots] != numbers
            numbers = numbers[moves_on]
            slots = (slots[moves_on] + 1) & self._last_slot

    def _first_slots(self, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The slot at which the search for each word begins."""
        return _hash(first, second, self._last_slot.bit_length())


def _hash(first: NDArray[np.uint64], second: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    """A hash of `bits` bits of each word's keys (multiplicative hashing: the highest bits of a product)."""
    return (((first ^ second * _MIX_SECOND) * _MIX_FIRST) >> np.uint64(64 - bits)).astype(np.int64)


def distinct(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct words among these, given by their keys.

    Returns:
        (positions, which): `positions[k]` is where the k-th distinct word first appears, ascending; word j of the
        input is distinct word `which[j]`.
    """
    # lexsort is stable: among equal words the first of the input stays first.
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
