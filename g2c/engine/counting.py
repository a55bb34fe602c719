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

from g2c.engine.compiled import Array, Int64, UInt8, entry, inner
from g2c.engine.encoding import Parts, key_of
from g2c.engine.splitting import GPT4, classes_for, gpt2_end, gpt4_end, padded, way_of

MIX = 0x2545F4914F6CDD1D
POSITIVE = 0x7FFFFFFFFFFFFFFF


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


@inner
def _hash(text: Array, begin: int, end: int) -> int:
    """A number above 0 for the bytes of a word."""
    mixed = end - begin
    for p in range(begin, end, 7):
        mixed = (mixed ^ key_of(text, p, min(p + 7, end))) * MIX & POSITIVE
        mixed ^= mixed >> 29
    return mixed | 1


@inner
def _add(
    text: Array, begin: int, end: int, count: int, table: Array, data: Array, ends: Array, counts: Array, words: int
) -> int:
    """Add `count` occurrences of the word text[begin:end]; returns the number of distinct words after that.

    A slot of the table has the word's hash, 0 if the slot is empty, and the word's number. Word k is
    data[ends[k]:ends[k + 1]].
    """
    last = len(table) // 2 - 1
    mixed = _hash(text, begin, end)
    slot = 2 * (mixed >> 20 & last)
    while table[slot] != 0:
        if table[slot] == mixed:
            number = table[slot + 1]
            at, length = ends[number], end - begin
            if ends[number + 1] - at == length:
                i = 0
                while i < length and data[at + i] == text[begin + i]:
                    i += 1
                if i == length:
                    counts[number] += count
                    return words
        slot = slot + 2 & 2 * last + 1
    table[slot], table[slot + 1] = mixed, words
    counts[words] = count
    at = ends[words]
    for i in range(end - begin):
        data[at + i] = text[begin + i]
    ends[words + 1] = at + end - begin
    return words + 1


@entry
def _count_pieces(
    text: UInt8, begins: Int64, stops: Int64, position: Int64, way: int, classes: UInt8,
    table: Int64, data: UInt8, ends: Int64, counts: Int64,
) -> bool:  # fmt: skip
    """Count from `position` (part, offset, distinct words) on, until the text ends or memory is short."""
    part, p, words = position[0], position[1], position[2]
    while part < len(stops):
        end = stops[part]
        while p < end:
            stop = gpt4_end(text, p, end, classes) if way == GPT4 else gpt2_end(text, p, end, classes)
            if 4 * words >= len(table) or ends[words] + stop - p > len(data) or words == len(counts):
                position[0], position[1], position[2], position[3] = part, p, words, stop - p
                return False
            words = _add(text, p, stop, 1, table, data, ends, counts, words)
            p = stop
        part += 1
        if part < len(stops):
            p = begins[part]
    position[0], position[2] = part, words
    return True


@entry
def _add_words(
    others: UInt8, other_ends: Int64, other_counts: Int64, position: Int64,
    table: Int64, data: UInt8, ends: Int64, counts: Int64,
) -> bool:  # fmt: skip
    """Add counted words from number position[0] on, until all are added or memory is short."""
    words = position[2]
    for number in range(position[0], len(other_counts)):
        begin, end = other_ends[number], other_ends[number + 1]
        if 4 * words >= len(table) or ends[words] + end - begin > len(data) or words == len(counts):
            position[0], position[2], position[3] = number, words, end - begin
            return False
        words = _add(others, begin, end, other_counts[number], table, data, ends, counts, words)
    position[2] = words
    return True


@entry
def _rebuild(table: Int64, data: UInt8, ends: Int64, words: int) -> None:
    """Enter all words into an empty table."""
    last = len(table) // 2 - 1
    for number in range(words):
        mixed = _hash(data, ends[number], ends[number + 1])
        slot = 2 * (mixed >> 20 & last)
        while table[slot] != 0:
            slot = slot + 2 & 2 * last + 1
        table[slot], table[slot + 1] = mixed, number


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
        self._table = np.zeros(8 * words, np.int64)
        self._data = np.empty(16 * words, np.uint8)
        self._ends = np.zeros(2 * words + 1, np.int64)
        self._counts = np.zeros(2 * words, np.int64)
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
            source = padded(text), parts.begins, parts.ends, position, way_of(pattern), classes_for(text)
            while not _count_pieces(*source, self._table, self._data, self._ends, self._counts):
                self._grow(position)
            self._size = int(position[2])

    def add(self, words: WordCounts) -> None:
        """Add counts from another counter."""
        position = np.array([0, 0, self._size, 0], np.int64)
        ends = np.append(0, np.cumsum(words.lengths))
        while not _add_words(
            padded(words.data), ends, words.counts, position, self._table, self._data, self._ends, self._counts
        ):
            self._grow(position)
        self._size = int(position[2])

    def _grow(self, position: NDArray[np.int64]) -> None:
        size, needed = int(position[2]), int(position[3])
        if 4 * size >= len(self._table):
            self._table = np.zeros(4 * len(self._table), np.int64)
            _rebuild(self._table, self._data, self._ends, size)
        if size == len(self._counts):
            self._counts, self._ends = (np.resize(part, 2 * len(part)) for part in (self._counts, self._ends))
        if self._ends[size] + needed > len(self._data):
            self._data = np.resize(self._data, 2 * len(self._data) + needed)

    def words(self) -> WordCounts:
        """The distinct words in order of first appearance, each with its count."""
        ends = self._ends[: self._size + 1]
        return WordCounts(self._data[: ends[-1]].tobytes(), np.diff(ends), self._counts[: self._size].copy())
