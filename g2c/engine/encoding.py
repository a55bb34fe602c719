"""Encoding text in one pass: split off a piece, look it up, merge it if it is new, write its IDs.

text     "the cat, the bat"
pieces   "the"  " cat"  ","  " the"  " bat"      splitting.py
words      hit    hit   hit    hit    new        a table of the pieces so far, with their IDs (words.py)
IDs        260    311    44    264   98 300      from merging.py for the new one
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Array, Int32, Int64, UInt8, entry, expect, inner, natural
from g2c.engine.counting import COUNT_AT, WordCounter, WordCounts
from g2c.engine.merging import SHORT, Scratch, merge, pair_table
from g2c.engine.parts import Parts
from g2c.engine.splitting import Position, Source, at_piece, room_for_pieces, split_ahead
from g2c.engine.words import (
    BYTES_AT,
    BYTES_PER_WORD,
    IDS_USED,
    MAX_KEPT,
    MAX_WORD,
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
from g2c.formats.table import Table
from g2c.tokenizer.patterns import Pattern

# --- looking pieces up ------------------------------------------------------------------------------------------------

# In a slot of the table of words, numbers 2 and 3 contain two IDs each; all four are always written. Their count is the
# highest byte of number 1. The few pieces with more than four IDs or 14 bytes have `IN_LIST` there, and number 2 says
# where in `Words.ids` their IDs are, and how many.

FIRST_IDS, FEW = 2, 4  # A slot has room for four IDs, from this index on.
IN_LIST = 64
WORD_BITS = SEVEN_BYTES | IN_LIST << 56  # The bits of a slot's number 1 to compare for a piece with few IDs.

MAX_SLOTS = 1 << 21  # A power of two: 64 MB, for gigabytes of text.
OUTPUT = 1 << 22  # About how many IDs are computed at a time: enough that most of their memory is in large pages.
BYTES_OF_A_CALL = 200  # As ordinary Python, a call takes as long as so many bytes of text.


class Merging(NamedTuple):
    """What merging needs of a tokenizer: `pair_table`; the ID of each symbol; and a table of words, the tokens that no
    merge makes, in which the count of each is its ID."""

    pairs: Int64
    ids: Int32
    whole: Int64
    whole_data: UInt8


@inner
def _write_few(slots: Array, slot: int, out: Array, size: int) -> None:
    """Write the four IDs of a slot."""
    first, second = slots[slot + FIRST_IDS], slots[slot + FIRST_IDS + 1]
    out[size], out[size + 1] = first & 0xFFFFFFFF, first >> 32
    out[size + 2], out[size + 3] = second & 0xFFFFFFFF, second >> 32


@inner
def _write_known(words: Words, slot: int, out: Array, size: int) -> int:
    """Write the IDs of a slot; return their number."""
    count = words.slots[slot + 1] >> 56
    if count <= FEW:
        _write_few(words.slots, slot, out, size)
        return count
    at, count = words.slots[slot + FIRST_IDS] >> 8, words.slots[slot + FIRST_IDS] & 0xFF
    for i in range(count):
        out[size + i] = words.ids[at + i]
    return count


@inner
def _merge(text: Array, piece: Piece, merging: Merging, scratch: Scratch, out: Array, size: int) -> int:
    """Merge a piece and write its IDs; return their number."""
    symbols, count, whole = scratch.symbols, piece.stop - piece.begin, merging.whole
    slot, _, _ = find(text, piece, whole, merging.whole_data)
    if whole[slot + 1] != 0:
        out[size] = whole[slot + COUNT_AT]
        return 1
    for i in range(count):
        symbols[i] = text[piece.begin + i]
    count = merge(merging.pairs, scratch, count)
    for i in range(count):
        out[size + i] = merging.ids[symbols[i]]
    return count


@inner
def _remember(
    text: Array, piece: Piece, found: tuple[int, int, int], words: Words, out: Array, size: int, count: int
) -> None:
    """Enter a new piece, with its IDs out[size : size + count], into the empty slot that was found."""
    slots = words.slots
    slot, a, b = found
    words.used[WORDS_USED] += 1
    if piece.stop - piece.begin <= MAX_WORD and count <= FEW:
        for i in range(size + count, size + FEW):
            out[i] = 0
        slots[slot], slots[slot + 1] = a, b | count << 56
        slots[slot + FIRST_IDS] = out[size] | out[size + 1] << 32
        slots[slot + FIRST_IDS + 1] = out[size + 2] | out[size + 3] << 32
        return
    at = words.used[IDS_USED]
    slots[slot], slots[slot + 1], slots[slot + FIRST_IDS] = a, b | IN_LIST << 56, at << 8 | count
    for i in range(count):
        words.ids[at + i] = out[size + i]
    words.used[IDS_USED] += count
    if piece.stop - piece.begin > MAX_WORD:
        slots[slot + BYTES_AT] = keep_bytes(text, piece.begin, piece.stop, words)


@inner
def _encode_slowly(
    text: Array, piece: Piece, words: Words, merging: Merging, scratch: Scratch, out: Array, size: int
) -> int:
    """Write the IDs of any piece; return their number, or `NO_ROOM` if an array is too small for that."""
    length = piece.stop - piece.begin
    if size + length + FEW > len(out):
        return NO_ROOM
    if piece.a == ONLY_ID:
        out[size] = piece.b
        return 1
    found = find(text, piece, words.slots, words.data)
    if words.slots[found[0] + 1] != 0:
        return _write_known(words, found[0], out, size)
    if length > len(scratch.symbols) or not has_room(words, MAX_KEPT):
        return NO_ROOM
    count = _merge(text, piece, merging, scratch, out, size)
    if length <= MAX_KEPT:
        _remember(text, piece, found, words, out, size, count)
    return count


@entry
def _encode(
    source: Source, position: Position, pieces: Int64, words: Words, merging: Merging, scratch: Scratch, out: Int32
) -> tuple[int, tuple[int, ...]]:
    """Encode from `position` on, until the text ends or there is no room for a piece.

    Returns the number of IDs in `out`, and the new position; it has no pieces at the end of the text.
    """
    slots, size, last = words.slots, 0, len(out) - FEW
    while True:
        if position.next == position.end:
            position = split_ahead(source, position, pieces, slots)
        if position.end == 0:
            return size, at_piece(position, 0)
        for i in range(position.next, position.end):
            piece = piece_at(pieces, i)
            slot, size = piece.slot, natural(size)
            if slots[slot + SLOT_SIZE] == piece.a:
                slot += SLOT_SIZE
            if slots[slot] == piece.a and slots[slot + 1] & WORD_BITS == piece.b and size <= last:
                _write_few(slots, slot, out, size)
                size += slots[slot + 1] >> 56
                continue
            count = _encode_slowly(source.text, piece, words, merging, scratch, out, size)
            if count == NO_ROOM:
                return size, at_piece(position, i)
            size += count
        position = Position(*at_piece(position, position.end))


# --- texts ------------------------------------------------------------------------------------------------------------


class Tables(NamedTuple):
    """What encoding needs of a tokenizer, for any number of threads: see `tables_of` in fast.py. `adjacency` is for
    `cuts_between_tokens`; None if there is a pattern, or a token that no merge makes."""

    pattern: Pattern | None
    merging: Merging
    adjacency: NDArray[np.bool_] | None

    @classmethod
    def of(cls, table: Table) -> "Tables":
        """Make the arrays from a tokenizer's table, for text that has been normalized."""
        whole = WordCounter()
        whole.table = Words.empty(2)  # Mostly, there are no such tokens, and a look-up stays in the processor's cache.
        whole.add(WordCounts.of(table.whole.items()))
        merging = Merging(pair_table(table), table.ids.astype(np.int32), *whole.table[:2])
        return cls(table.pattern, merging, None if table.pattern or table.whole else byte_adjacency(table.tokens))

    def source(self, text: bytes, parts: Parts) -> Source:
        """Prepare a text in valid UTF-8."""
        if self.adjacency is None:
            return Source.of(text, parts, self.pattern)
        return Source.given(text, parts, np.append(cuts_between_tokens(text, self.adjacency), len(text)))


def byte_adjacency(tokens: Iterable[bytes]) -> NDArray[np.bool_]:
    """Find the bytes that are adjacent inside some token: entry [a, b] is True if byte b directly follows byte a."""
    adjacency = np.zeros((256, 256), bool)
    for left, right in {pair for token in tokens for pair in pairwise(token)}:
        adjacency[left, right] = True
    return adjacency


def cuts_between_tokens(text: bytes, adjacency: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find offsets at which a text without a pattern can be cut, so that short pieces are merged: if no token contains
    byte a directly followed by byte b, no merge ever joins the two sides of a place between them.

    >>> cuts_between_tokens(b"the then", byte_adjacency([b"th", b"he"])).tolist()
    [3, 4, 7]
    """
    data = np.frombuffer(text, np.uint8)
    return np.flatnonzero(~adjacency.reshape(-1).take(data[:-1].astype(np.uint16) << 8 | data[1:])) + 1


class Encoder:
    """Encodes texts, giving the IDs of `encode`. Each thread needs an encoder of its own.

    The table of words grows to at most `MAX_SLOTS`. When half of them are in use, it is emptied.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables, self._pieces, self._scratch = tables, room_for_pieces(), Scratch.of(4 * SHORT)
        self._words = Words.empty(min(1 << 12, MAX_SLOTS))

    def encode(self, text: bytes, parts: Parts | None = None) -> Iterator[NDArray[np.uint32]]:
        """Yield the IDs of a text in valid UTF-8, in arrays of about `OUTPUT` at most. Without `parts`, it is one
        document without special tokens."""
        parts = parts or Parts.whole(text)
        expect(len(text) + BYTES_OF_A_CALL)
        source, position, merging = self._tables.source(text, parts), Position(), self._tables.merging
        room = min(len(text) + len(parts.ends), OUTPUT) + FEW
        while True:
            out = np.empty(room, np.int32)
            size, stopped_at = _encode(source, position, self._pieces, self._words, merging, self._scratch, out)
            if size:
                yield out[:size].view(np.uint32)
            position = Position(*stopped_at)
            if position.end == 0:
                return
            length = length_of(self._pieces, position.next)
            room = max(room, length + FEW)
            if length > len(self._scratch.symbols):
                self._scratch = Scratch.of(length)
            self._words = self._words.with_room(MAX_KEPT, len(text) // BYTES_PER_WORD, MAX_SLOTS)
