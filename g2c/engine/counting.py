"""Counting the distinct pieces of a corpus: all that training with a pattern needs to know of it.

text      "low lower low"
pieces    "low"  " lower"  " low"            splitting.py
counts      1       1         1              in the slots of a table of words (words.py)
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Array, Int64, entry, expect, inner
from g2c.engine.parts import Parts
from g2c.engine.splitting import NO_NUMBERS, Position, Source, at_piece, room_for_pieces, split_ahead
from g2c.engine.words import (
    BYTES_AT,
    BYTES_PER_WORD,
    BYTES_USED,
    NO_ROOM,
    ONLY_ID,
    SEVEN_BYTES,
    SLOT_SIZE,
    WORDS_USED,
    Piece,
    Words,
    find,
    has_room,
    keep_bytes,
    length_of,
    piece_at,
)
from g2c.tokenizer.patterns import Pattern


class WordCounts(NamedTuple):
    """The distinct pieces of a corpus, and how often each occurs, in three arrays, in order of first appearance:

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
        """Yield (word, count) for each word."""
        begin = 0
        for end, count in zip(np.cumsum(self.lengths).tolist(), self.counts.tolist()):
            yield self.data[begin:end], count
            begin = end


# In a slot of the table of words, number 2 is the word's count and number 3 the place of its bytes in `data`, where the
# words are in order of first appearance.
COUNT_AT = 2
IS_TAKEN = 1 << 56


@inner
def _enter_word(text: Array, piece: Piece, words: Words) -> int:
    """Return the slot of a piece, which is entered if it is new; or `NO_ROOM`."""
    slots = words.slots
    slot, a, b = find(text, piece, slots, words.data)
    if slots[slot + 1] == 0:
        if not has_room(words, piece.stop - piece.begin):
            return NO_ROOM
        slots[slot], slots[slot + 1] = a, b | IS_TAKEN
        slots[slot + BYTES_AT] = keep_bytes(text, piece.begin, piece.stop, words)
        words.used[WORDS_USED] += 1
    return slot


@entry
def _count_pieces(source: Source, position: Position, weights: Int64, pieces: Int64, words: Words) -> tuple[int, ...]:
    """Count pieces from `position` on, until the text ends or there is no room for another word; return the new
    position, which has no pieces at the end. `weights` says how often the piece before each bound occurs, if not once.
    """
    slots = words.slots
    while True:
        if position.next == position.end:
            position = split_ahead(source, position, pieces, slots)
        if position.end == 0:
            return at_piece(position, 0)
        first_bound = position.bound + 1 - position.end
        for i in range(position.next, position.end):
            piece = piece_at(pieces, i)
            if piece.a == ONLY_ID:
                continue
            slot = piece.slot
            if slots[slot] != piece.a or slots[slot + 1] & SEVEN_BYTES != piece.b:
                slot = _enter_word(source.text, piece, words)
                if slot == NO_ROOM:
                    return at_piece(position, i)
            slots[slot + COUNT_AT] += weights[first_bound + i] if len(weights) > 0 else 1
        position = Position(*at_piece(position, position.end))


class WordCounter:
    """Counts the pieces of texts. Memory grows with the number of distinct pieces.

    >>> counter = WordCounter()
    >>> counter.add(WordCounts.of([(b"low", 5), (b"new", 6)]))
    >>> counter.add(WordCounts.of([(b"new", 1), (b"est", 9)]))
    >>> dict(counter.words().items())
    {b'low': 5, b'new': 7, b'est': 9}
    """

    def __init__(self) -> None:
        self.table = Words.empty()
        self._pieces = room_for_pieces()

    def count(self, text: bytes, pattern: Pattern | None, parts: Parts) -> None:
        """Count the pieces of a text, which is valid UTF-8. Without a pattern, each part is a piece."""
        expect(len(text))
        self._count(Source.of(text, parts, pattern), NO_NUMBERS, len(text) // BYTES_PER_WORD)

    def add(self, words: WordCounts) -> None:
        """Add the counts of another counter."""
        source = Source.given(words.data, Parts.whole(words.data), np.cumsum(words.lengths))
        self._count(source, words.counts, len(words.counts))

    def _count(self, source: Source, weights: NDArray[np.int64], expected: int) -> None:
        position = Position(*_count_pieces(source, Position(), weights, self._pieces, self.table))
        while position.end:
            self.table = self.table.with_room(length_of(self._pieces, position.next), expected)
            position = Position(*_count_pieces(source, position, weights, self._pieces, self.table))

    def words(self) -> WordCounts:
        """Return the distinct words in order of first appearance, each with its count."""
        slots = self.table.slots.reshape(-1, SLOT_SIZE)
        slots = slots[slots[:, 1] != 0]
        counts, begins = slots[np.argsort(slots[:, BYTES_AT]), COUNT_AT:].T.copy()
        size = self.table.used[BYTES_USED]
        return WordCounts(self.table.data[:size].tobytes(), np.diff(begins, append=size), counts)
