"""Encoding text in one pass: split off a piece, look it up, merge it if it is new, write its IDs.

    text     "the cat, the bat"
    pieces   "the"  " cat"  ","  " the"  " bat"      blocks.py, splitting.py: the end of each, one after the other
    words      hit    hit   hit    hit    new        a table of the pieces met so far, with their IDs
    IDs        260    311    44    264   98 300      merging.py, for the new one

Text repeats itself, so nearly every piece is in the table. A slot of the table is half a cache line of the processor,
32 bytes: the piece's bytes, seven in each of three numbers, with its length and the number of its IDs; and its first
two IDs. So a piece is found with a single access to memory. Nine of ten pieces have at most two IDs, which are always
written both, without asking. Longer pieces, and those with more than `MAX_IDS` IDs, are merged every time.

A new piece replaces the one in its slot. So the table never fills up, and adapts when the text changes. The IDs do not
depend on it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.adjacency import byte_adjacency, cuts_between_tokens
from g2c.engine.blocks import BLOCK, certain_starts
from g2c.engine.compiled import Array, Int32, Int64, UInt8, eight_bytes, entry, inner, lowest_bit, prefetch, product
from g2c.engine.merging import SHORT, merge_long, merge_short, pair_table
from g2c.engine.splitting import (
    GIVEN,
    GPT2,
    GPT4,
    classes_for,
    gpt2_end,
    gpt4_end,
    padded,
    way_of,
)
from g2c.formats.merge_table import MergeTable
from g2c.tokenizer.base import Pair
from g2c.tokenizer.patterns import split_by_pattern

MAX_SLOTS = 1 << 19
"""The most slots that the table of words has unless more are asked for: 32 MB."""

MAX_WORD, MAX_IDS = 21, 10
"""The bytes and the IDs of a piece that the table has room for."""

OUTPUT = 1 << 18
"""Number of IDs computed at a time."""

PIECE_BYTES = 1 << 12
"""The longest piece that there is room for in the beginning."""

AHEAD = 32
"""Number of pieces that are split off at a time, or up to `BLOCK` more."""

NO_TOKEN = -1
"""In place of a special token's ID: the boundary between two texts, with no token there."""

TEXT_END = -2
"""The same, but the IDs then have a `MARK` there."""

MARK = 2**32 - 2
"""`TEXT_END` among IDs, which are below 2**31."""


class Parts(NamedTuple):
    """The ordinary text between special tokens and ends of documents, in three arrays.

    begins, ends: byte offsets of each part, ascending. ids: the ID that follows it, `NO_TOKEN` or `TEXT_END`.
    """

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    ids: NDArray[np.int64]

    @classmethod
    def whole(cls, text: bytes) -> "Parts":
        """The text is one document without special tokens."""
        return cls(*(np.array([value], np.int64) for value in (0, len(text), NO_TOKEN)))


# Piece i of those that were split off has five numbers in the array `pieces`, from 5 * i on: where it ends, its bytes
# as three numbers with its length in the first, and their hash. A piece of more than `MAX_WORD` bytes has `LONG` first.
STOP, BYTES, HASH = 0, 1, 4
PIECE_SIZE = 5
MAX_PIECES = AHEAD + BLOCK
LONG = -1

# A slot of the table of words has four numbers: those of the bytes, the second of them with the number of IDs, and two
# IDs. The other IDs are in a table of their own, with `REST` places for each slot.
IDS, SLOT_SIZE = 3, 4
REST = MAX_IDS - 2

SEVEN_BYTES = 0x00FFFFFFFFFFFFFF

MIX = 0x2545F4914F6CDD1D
"""Hashes are multiplied by this odd number."""


@inner
def key_of(text: Array, begin: int, end: int) -> int:
    """Up to seven bytes as one number."""
    return eight_bytes(text, begin) & (1 << 8 * (end - begin)) - 1


@inner
def hash_of(a: int, b: int, c: int) -> int:
    """The hash of a piece by its three numbers."""
    mixed = product(a ^ product(b, 0x2127599BF4325C37) ^ product(c, 0x1E3779B97F4A7C15), MIX)
    return (mixed ^ mixed >> 29) >> 12


@inner
def write_piece(text: Array, begin: int, stop: int, pieces: Array, at: int) -> None:
    """Write the five numbers of a piece. Behind the text there is `PADDING`."""
    length = stop - begin
    a, b, c = LONG, 0, 0
    if length <= MAX_WORD:
        a = key_of(text, begin, min(begin + 7, stop)) | length << 56
        b = key_of(text, begin + 7, min(begin + 14, max(begin + 7, stop)))
        if length > 14:
            c = key_of(text, begin + 14, stop)
    pieces[at + STOP] = stop
    pieces[at + BYTES], pieces[at + BYTES + 1], pieces[at + BYTES + 2] = a, b, c
    pieces[at + HASH] = hash_of(a, b, c)


@inner
def split_off(
    text: Array, p: int, end: int, way: int, classes: Array, bounds: Array, position: Array, pieces: Array
) -> int:
    """Split off pieces from p on, until `end` is reached or there are at least `AHEAD`; returns their number.

    Args:
        way, classes, bounds, position: as for `_encode`. The last number of `position` is updated.
    """
    count, bound = 0, position[3]
    while p < end and count < AHEAD:
        # Where a character beyond ASCII is near, a block would decide nothing.
        if way != GIVEN and end - p >= BLOCK and text[p] | text[p + 1] < 0x80:
            starts, block = certain_starts(text, p, way == GPT4), p
            while starts != 0:
                stop = block + lowest_bit(starts)
                write_piece(text, p, stop, pieces, PIECE_SIZE * count)
                p = stop
                count += 1
                starts &= starts - 1
            if p > block:
                continue
        if way == GPT4:
            stop = gpt4_end(text, p, end, classes)
        elif way == GPT2:
            stop = gpt2_end(text, p, end, classes)
        else:
            while bounds[bound] <= p:
                bound += 1
            if count == 0:
                position[3] = bound
            stop = min(bounds[bound], end)
        write_piece(text, p, stop, pieces, PIECE_SIZE * count)
        p = stop
        count += 1
    return count


@entry
def _encode(
    text: UInt8, begins: Int64, ends: Int64, ids_after: Int64, position: Int64, way: int, classes: UInt8, bounds: Int64,
    words: Int64, rest: Int32, pieces: Int64, pairs: Int64, ids: Int32,
    symbols: Int32, items: Int64, before: Int32, after: Int32, heap: Int64, out: Int32,
) -> int:  # fmt: skip
    """Encode from `position` on until the text ends, `out` is full, or a piece is longer than `symbols`.

    Args:
        text: as for splitting.py.
        begins, ends, ids_after: see `Parts`.
        position: [part, offset in the text, end of the piece there, index in `bounds` before it]; updated.
        way, classes, bounds: how to split; the class of each code point; the ends of the pieces if `GIVEN`, beside
            those of the parts.
        words, rest: the table of words; see above.
        pieces: scratch memory; see above.
        pairs: from `pair_table`.
        ids: the ID of each symbol; see `MergeTable`.
        symbols, items, before, after, heap: scratch memory; see `merge_long`.
        out: has room for one ID more than are written.

    Returns:
        the number of IDs in `out`. 0 if there is nothing left, or if the piece at `position` is too long. At the end,
        the part in `position` is the number of parts.
    """
    part, p = position[0], position[1]
    last, room = len(words) // SLOT_SIZE - 1, len(out) - 1
    size = 0
    while part < len(ends):
        end = ends[part]
        while p < end:
            ahead = split_off(text, p, end, way, classes, bounds, position, pieces)
            for piece in range(0, PIECE_SIZE * ahead, PIECE_SIZE):
                prefetch(words, SLOT_SIZE * (pieces[piece + HASH] & last))
            for piece in range(0, PIECE_SIZE * ahead, PIECE_SIZE):
                stop, a = pieces[piece + STOP], pieces[piece + BYTES]
                b, c = pieces[piece + BYTES + 1], pieces[piece + BYTES + 2]
                length = stop - p
                if size + length > room or length > len(symbols):
                    position[0], position[1], position[2] = part, p, stop
                    return size
                number = pieces[piece + HASH] & last
                slot = SLOT_SIZE * number
                if words[slot] == a and words[slot + 1] & SEVEN_BYTES == b and words[slot + 2] == c:
                    out[size], out[size + 1] = words[slot + IDS] & 0xFFFFFFFF, words[slot + IDS] >> 32
                    count = words[slot + 1] >> 56
                    for i in range(2, count):
                        out[size + i] = rest[REST * number + i - 2]
                else:
                    for i in range(length):
                        symbols[i] = text[p + i]
                    if length <= SHORT:
                        count = merge_short(pairs, symbols, items, length)
                    else:
                        count = merge_long(pairs, symbols, items, before, after, heap, length)
                    for i in range(count):
                        out[size + i] = ids[symbols[i]]
                    if a != LONG and count <= MAX_IDS:
                        words[slot], words[slot + 1], words[slot + 2] = a, b | count << 56, c
                        words[slot + IDS] = out[size] + (out[size + 1] << 32 if count > 1 else 0)
                        for i in range(2, count):
                            rest[REST * number + i - 2] = out[size + i]
                size += count
                p = stop
        if size == room:
            position[0], position[1], position[2] = part, p, p
            return size
        if ids_after[part] != NO_TOKEN:
            out[size] = ids_after[part]
            size += 1
        part += 1
        if part < len(ends):
            p = begins[part]
    position[0] = part
    return size


class Tables(NamedTuple):
    """What encoding needs of a tokenizer, as arrays: any number of threads may read them.

    Attributes:
        pattern: a regex as `resolve_pattern` returns it, or None.
        pairs: from `pair_table`.
        ids: the ID of each symbol.
        adjacency: from `byte_adjacency`.
    """

    pattern: str | None
    pairs: NDArray[np.int64]
    ids: NDArray[np.int32]
    adjacency: NDArray[np.bool_]

    @classmethod
    def of(cls, merges: Mapping[Pair, int], pattern: str | None, byte_ids: Sequence[int] = range(256)) -> "Tables":
        """
        Args:
            merges, byte_ids: as for `MergeTable.of`.
            pattern: a regex as `resolve_pattern` returns it, or None.

        Raises:
            ValueError: as `MergeTable.of`: `Encoder` would not give the IDs of `encode`.
        """
        return cls.of_table(MergeTable.of(merges, byte_ids), pattern)

    @classmethod
    def of_table(cls, table: MergeTable, pattern: str | None) -> "Tables":
        """The same for a table that exists already, such as that of `merge_table`."""
        return cls(pattern, pair_table(table), table.ids.astype(np.int32), byte_adjacency(table.tokens))


NO_CLASSES = np.zeros(0, np.uint8)


class Encoder:
    """Encodes texts: the IDs of `encode`. Each thread needs one of its own.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train_exact("the the the", 259)
    >>> encoder = Encoder(Tables.of(tokenizer.merges, None))
    >>> [ids.tolist() for ids in encoder.encode(b"the then")]
    [[258, 257, 110]]
    """

    def __init__(self, tables: Tables, slots: int | None = None) -> None:
        """
        Args:
            slots: size of the table of words, a power of two; None: the table grows with the texts, up to `MAX_SLOTS`.
        """
        self._tables, self._way = tables, way_of(tables.pattern)
        self._slots, self._max_slots = 0, slots or MAX_SLOTS
        self._make_words(slots or 1)
        self._pieces = np.empty(PIECE_SIZE * MAX_PIECES, np.int64)
        self._reserve(PIECE_BYTES)

    def encode(self, text: bytes, parts: Parts | None = None) -> Iterator[NDArray[np.uint32]]:
        """The IDs of a text, in arrays of at most `OUTPUT` or a few more.

        Args:
            text: valid UTF-8.
            parts: where special tokens and ends of documents are; None: the text is one document without any.
        """
        if parts is None:
            parts = Parts.whole(text)
        if self._slots < self._max_slots and 8 * self._slots < len(text):
            self._make_words(min(self._max_slots, 1 << (len(text) // 8).bit_length()))
        data = padded(text)
        position = np.array([0, parts.begins[0] if len(parts.begins) else 0, 0, 0], np.int64)
        if self._way == GIVEN:
            bounds, classes = self._bounds(text, parts), NO_CLASSES
        else:
            bounds, classes = position, classes_for(text)
        while position[0] < len(parts.ends):
            size = _encode(
                data, *parts, position, self._way, classes, bounds, self._words, self._rest, self._pieces,
                self._tables.pairs, self._tables.ids, *self._scratch, self._out,
            )  # fmt: skip
            if size:
                yield self._out[:size].astype(np.uint32)
            elif position[0] < len(parts.ends):
                self._reserve(1 << int(position[2] - position[1]).bit_length())

    def _make_words(self, slots: int) -> None:
        """Make an empty table of words."""
        # A slot must not span two cache lines.
        memory = np.zeros(SLOT_SIZE * slots + 8, np.int64)
        offset = -memory.ctypes.data // 8 % 8
        self._slots, self._words = slots, memory[offset : offset + SLOT_SIZE * slots]
        self._rest = np.empty(REST * slots, np.int32)

    def _reserve(self, length: int) -> None:
        """Make room for merging a piece of this many bytes: 40 bytes for each."""
        symbols, before, after = (np.empty(length, np.int32) for _ in range(3))
        items, heap = np.empty(length, np.int64), np.empty(2 * length, np.int64)
        self._scratch = symbols, items, before, after, heap
        self._out = np.empty(max(OUTPUT, length) + 1, np.int32)

    def _bounds(self, text: bytes, parts: Parts) -> NDArray[np.int64]:
        """The offsets at which pieces end: where the Rust library finds them, or where no token can cross."""
        if self._tables.pattern is None:
            return np.append(cuts_between_tokens(text, self._tables.adjacency), len(text))
        bounds = [np.zeros(0, np.int64)]
        for begin, end in zip(parts.begins.tolist(), parts.ends.tolist()):
            pieces = split_by_pattern(text[begin:end].decode(), self._tables.pattern)
            bounds.append(begin + np.cumsum([len(piece.encode()) for piece in pieces], dtype=np.int64))
        return np.concatenate(bounds)
