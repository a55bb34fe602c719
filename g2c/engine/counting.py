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

from g2c.engine.compiled import Array, Int64, UInt8, entry, inner, natural
from g2c.engine.parts import Parts
from g2c.engine.pieces import (
    BOUND,
    BYTES,
    FIRST_SLOT,
    MAX_PIECES,
    MAX_WORD,
    NEEDED,
    PART,
    PIECE_SIZE,
    PLACE,
    SLOT_SIZE,
    STOP,
    first_slot,
    long_hash,
    split_off,
)
from g2c.engine.splitting import GIVEN, PADDING, classes_for, padded, way_of


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


# A slot of the table has four numbers, half a cache line of the processor. Two are the bytes of the word, as in the
# array `pieces`; for a word of more than 14 bytes, they are a hash and its length. Then come the number
# of the word and its count, which is 0 if the slot is empty. So nearly every word is found with one access to memory.
NUMBER, COUNT = 2, 3


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
    length, slot = pieces[piece + STOP] - begin, natural(pieces[piece + FIRST_SLOT])
    a, b = pieces[piece + BYTES], pieces[piece + BYTES + 1]
    if length > MAX_WORD:
        a, b = long_hash(text, begin, begin + length), length
        slot = first_slot(table, a, b)
    while table[slot + COUNT] != 0:
        if table[slot] == a and table[slot + 1] == b:
            if length <= MAX_WORD or _is_word(text, begin, length, data, ends[table[slot + NUMBER]]):
                table[slot + COUNT] += count
                return words
        slot = natural(slot + SLOT_SIZE & len(table) - 1)
    table[slot], table[slot + 1], table[slot + NUMBER] = a, b, words
    table[slot + COUNT], slots[words] = count, slot
    at = ends[words]
    for i in range(length):
        data[at + i] = text[begin + i]
    ends[words + 1] = at + length
    return words + 1


@entry
def _count(
    text: UInt8, begins: Int64, stops: Int64, position: Int64, way: int, classes: UInt8, bounds: Int64, weights: Int64,
    pieces: Int64, words: int, table: Int64, slots: Int64, data: UInt8, ends: Int64,
) -> int:  # fmt: skip
    """Count pieces from `position` on, until the text ends or there is no room for another word.

    Args:
        begins, stops, position, way, classes, bounds: as for `_encode`.
        weights: how often the piece before each of `bounds` occurs; none: once.
        words, table, slots, data, ends: see `_add`.

    Returns:
        the number of distinct words. At the end, the part in `position` is the number of parts.
    """
    part, p = position[PART], position[PLACE]
    while part < len(stops):
        p, end = max(p, begins[part]), stops[part]
        while p < end:
            ahead = split_off(text, p, end, way, classes, bounds, position, pieces, table)
            for i in range(ahead):
                stop, weight = pieces[PIECE_SIZE * i + STOP], 1
                if words == len(slots) or ends[words] + stop - p + PADDING > len(data):
                    position[PART], position[PLACE], position[NEEDED] = part, p, stop - p
                    return words
                if len(weights) > 0:
                    weight = weights[position[BOUND] + i]
                words = _add(text, p, pieces, PIECE_SIZE * i, weight, table, slots, data, ends, words)
                p = stop
        part += 1
    position[PART] = part
    return words


@entry
def _rebuild(old: Int64, slots: Int64, table: Int64) -> None:
    """Enter all words of the table `old` into an empty one."""
    for number in range(len(slots)):
        at = slots[number]
        slot = first_slot(table, old[at], old[at + 1])
        while table[slot + COUNT] != 0:
            slot = slot + SLOT_SIZE & len(table) - 1
        for i in range(SLOT_SIZE):
            table[slot + i] = old[at + i]
        slots[number] = slot


NO_NUMBERS = np.zeros(0, np.int64)


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
        self._pieces = np.empty(PIECE_SIZE * MAX_PIECES, np.int64)
        self._table = np.zeros(2 * SLOT_SIZE * words, np.int64)
        self._slots = np.empty(words, np.int64)
        self._data = np.empty(8 * words + PADDING, np.uint8)
        self._ends = np.zeros(words + 1, np.int64)
        self._size = 0

    def count(self, text: bytes, pattern: str, parts: Parts) -> None:
        """Count the pieces of a text.

        Args:
            text: valid UTF-8.
            pattern: a regex as `resolve_pattern` returns it.
            parts: the ordinary text between special tokens and ends of documents.
        """
        way = way_of(pattern)
        self._count(text, parts, way, parts.bounds(text, pattern) if way == GIVEN else NO_NUMBERS, NO_NUMBERS)

    def add(self, words: WordCounts) -> None:
        """Add counts from another counter."""
        self._count(words.data, Parts.whole(words.data), GIVEN, np.cumsum(words.lengths), words.counts)

    def _count(
        self, text: bytes, parts: Parts, way: int, bounds: NDArray[np.int64], weights: NDArray[np.int64]
    ) -> None:
        data, position = padded(text), np.zeros(4, np.int64)
        source = data, parts.begins, parts.ends, position, way, classes_for(data), bounds, weights, self._pieces
        while True:
            self._size = _count(*source, self._size, self._table, self._slots, self._data, self._ends)
            if position[PART] == len(parts.ends):
                break
            if self._size == len(self._slots):
                old, self._table = self._table, np.zeros(2 * len(self._table), np.int64)
                _rebuild(old, self._slots, self._table)
                self._slots, self._ends = (np.resize(part, 2 * len(part)) for part in (self._slots, self._ends))
            needed = int(self._ends[self._size] + position[NEEDED]) + PADDING
            if needed > len(self._data):
                self._data = np.resize(self._data, 2 * needed)

    def words(self) -> WordCounts:
        """The distinct words in order of first appearance, each with its count."""
        ends = self._ends[: self._size + 1]
        counts = self._table[self._slots[: self._size] + COUNT]
        return WordCounts(self._data[: ends[-1]].tobytes(), np.diff(ends), counts)
