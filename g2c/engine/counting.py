"""Counting the distinct pieces of a corpus: all that training with a pattern needs of it.

    text     "the cat, the bat"
    words    the   _cat  ,   _the  _bat        the bytes of each distinct piece, one after the other
    counts    1     1    1    1     1

Words are in order of first appearance: training breaks ties among equally frequent pairs by it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Array, Int64, UInt8, entry, inner, product
from g2c.engine.encoding import (
    AHEAD,
    BYTES,
    HASH,
    MAX_PIECES,
    MAX_WORD,
    MIX,
    PIECE_SIZE,
    STOP,
    Parts,
    key_of,
    split_off,
    write_piece,
)
from g2c.engine.splitting import PADDING, classes_for, padded, way_of


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


# A slot of the table has four numbers, half a cache line of the processor. Three are the bytes of the word, as in the
# array `pieces` of encoding.py; the fourth is its count, 0 if the slot is empty. For a word of more than 21 bytes, the
# three are its hash, which is below 0, its number, and 0. So nearly every word is found with a single access to memory.
COUNT, SLOT_SIZE = 3, 4


@inner
def _hash(text: Array, begin: int, end: int) -> int:
    """A number below 0 for the bytes of a long word."""
    mixed = end - begin
    for p in range(begin, end, 7):
        mixed = product(mixed ^ key_of(text, p, min(p + 7, end)), MIX)
        mixed ^= mixed >> 29
    return -1 - mixed


@inner
def _is_word(text: Array, begin: int, length: int, data: Array, at: int) -> bool:
    for i in range(length):
        if data[at + i] != text[begin + i]:
            return False
    return True


@inner
def _add(
    text: Array, begin: int, pieces: Array, piece: int, count: int,
    table: Array, slots: Array, data: Array, ends: Array, words: int,
) -> int:  # fmt: skip
    """Add `count` occurrences of the piece that begins at `begin`; returns the number of distinct words after that.

    Word k is data[ends[k]:ends[k + 1]], and has the slot slots[k].
    """
    last, length = len(table) // SLOT_SIZE - 1, pieces[piece + STOP] - begin
    a, b, c, mixed = pieces[piece + BYTES], pieces[piece + BYTES + 1], pieces[piece + BYTES + 2], pieces[piece + HASH]
    if length > MAX_WORD:
        a = _hash(text, begin, begin + length)
        b, mixed = words, -a
    slot = SLOT_SIZE * (mixed & last)
    while table[slot + COUNT] != 0:
        if table[slot] == a:
            number = table[slot + 1]
            if (
                table[slot + 1] == b and table[slot + 2] == c
                if a > 0
                else ends[number + 1] - ends[number] == length and _is_word(text, begin, length, data, ends[number])
            ):
                table[slot + COUNT] += count
                return words
        slot = slot + SLOT_SIZE & SLOT_SIZE * last + SLOT_SIZE - 1
    table[slot], table[slot + 1], table[slot + 2] = a, b, c
    table[slot + COUNT], slots[words] = count, slot
    at = ends[words]
    for i in range(length):
        data[at + i] = text[begin + i]
    ends[words + 1] = at + length
    return words + 1


@inner
def _is_full(words: int, length: int, slots: Array, data: Array, ends: Array) -> bool:
    """Whether there might be no room for one more word of this length in bytes."""
    return words == len(slots) or ends[words] + length + PADDING > len(data)


@entry
def _count_pieces(
    text: UInt8, begins: Int64, stops: Int64, position: Int64, way: int, classes: UInt8, pieces: Int64,
    table: Int64, slots: Int64, data: UInt8, ends: Int64,
) -> bool:  # fmt: skip
    """Count from `position` (part, offset, distinct words) on, until the text ends or memory is short."""
    part, p, words = position[0], position[1], position[2]
    while part < len(stops):
        end = stops[part]
        while p < end:
            ahead = split_off(text, p, end, way, classes, stops, position, pieces)
            for piece in range(0, PIECE_SIZE * ahead, PIECE_SIZE):
                stop = pieces[piece + STOP]
                if _is_full(words, stop - p, slots, data, ends):
                    position[0], position[1], position[2], position[3] = part, p, words, stop - p
                    return False
                words = _add(text, p, pieces, piece, 1, table, slots, data, ends, words)
                p = stop
        part += 1
        if part < len(stops):
            p = begins[part]
    position[0], position[2] = part, words
    return True


@entry
def _add_words(
    others: UInt8, other_ends: Int64, other_counts: Int64, position: Int64, pieces: Int64,
    table: Int64, slots: Int64, data: UInt8, ends: Int64,
) -> bool:  # fmt: skip
    """Add counted words from number position[0] on, until all are added or memory is short."""
    number, words = position[0], position[2]
    while number < len(other_counts):
        ahead = min(AHEAD, len(other_counts) - number)
        for i in range(ahead):
            write_piece(others, other_ends[number + i], other_ends[number + i + 1], pieces, PIECE_SIZE * i)
        for piece in range(0, PIECE_SIZE * ahead, PIECE_SIZE):
            begin, end = other_ends[number], other_ends[number + 1]
            if _is_full(words, end - begin, slots, data, ends):
                position[0], position[2], position[3] = number, words, end - begin
                return False
            words = _add(others, begin, pieces, piece, other_counts[number], table, slots, data, ends, words)
            number += 1
    position[2] = words
    return True


@entry
def _rebuild(old: Int64, slots: Int64, words: int, data: UInt8, ends: Int64, pieces: Int64, table: Int64) -> None:
    """Enter all words of the table `old` into an empty one."""
    last = len(table) // SLOT_SIZE - 1
    for number in range(words):
        at = slots[number]
        mixed = -old[at]
        if mixed < 0:
            write_piece(data, ends[number], ends[number + 1], pieces, 0)
            mixed = pieces[HASH]
        slot = SLOT_SIZE * (mixed & last)
        while table[slot + COUNT] != 0:
            slot = slot + SLOT_SIZE & SLOT_SIZE * last + SLOT_SIZE - 1
        for i in range(SLOT_SIZE):
            table[slot + i] = old[at + i]
        slots[number] = slot


class WordCounter:
    """Counts the pieces of text after text. Memory grows with the number of distinct pieces.

    >>> counter = WordCounter()
    >>> counter.add(WordCounts.of([(b"low", 5), (b"new", 6)]))
    >>> counter.add(WordCounts.of([(b"new", 1), (b"est", 9)]))
    >>> dict(counter.words().items())
    {b'low': 5, b'new': 7, b'est': 9}
    """

    def __init__(self, words: int = 1 << 14) -> None:
        """Args: words: room for this many distinct words, a power of two; it grows when needed."""
        self._table = np.zeros(2 * SLOT_SIZE * words, np.int64)
        self._slots = np.empty(words, np.int64)
        self._data = np.empty(8 * words + PADDING, np.uint8)
        self._ends = np.zeros(words + 1, np.int64)
        self._pieces = np.empty(PIECE_SIZE * MAX_PIECES, np.int64)
        self._size = 0

    def count(self, text: bytes, pattern: str, parts: Parts) -> None:
        """Count the pieces of a text.

        Args:
            text: valid UTF-8.
            pattern: the regex of "gpt2" or "gpt4".
            parts: the ordinary text between special tokens and ends of documents.
        """
        if len(parts.ends):
            position = np.array([0, parts.begins[0], self._size, 0], np.int64)
            source = padded(text), parts.begins, parts.ends, position, way_of(pattern), classes_for(text), self._pieces
            while not _count_pieces(*source, self._table, self._slots, self._data, self._ends):
                self._grow(position)
            self._size = int(position[2])

    def add(self, words: WordCounts) -> None:
        """Add counts from another counter."""
        position = np.array([0, 0, self._size, 0], np.int64)
        ends = np.append(0, np.cumsum(words.lengths))
        while not _add_words(
            padded(words.data),
            ends,
            words.counts,
            position,
            self._pieces,
            self._table,
            self._slots,
            self._data,
            self._ends,
        ):
            self._grow(position)
        self._size = int(position[2])

    def _grow(self, position: NDArray[np.int64]) -> None:
        size, needed = int(position[2]), int(position[3])
        if size == len(self._slots):
            old, self._table = self._table, np.zeros(2 * len(self._table), np.int64)
            _rebuild(old, self._slots, size, self._data, self._ends, self._pieces, self._table)
            self._slots, self._ends = (np.resize(part, 2 * len(part)) for part in (self._slots, self._ends))
        if self._ends[size] + needed + PADDING > len(self._data):
            self._data = np.resize(self._data, 2 * len(self._data) + needed)

    def words(self) -> WordCounts:
        """The distinct words in order of first appearance, each with its count."""
        ends = self._ends[: self._size + 1]
        counts = self._table[self._slots[: self._size] + COUNT]
        return WordCounts(self._data[: ends[-1]].tobytes(), np.diff(ends), counts)
