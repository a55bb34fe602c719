"""A table of words: where encoding and counting look up each piece of a text.

    text            T h e _ c a t , _ 2 0 2 4
    pieces          The        _cat       ,         _2024
      ends at       3          7          8         13
      spelling      two numbers of up to seven bytes each; the first one also contains the length
      first slot    where the search in the table begins

A slot has four numbers, and two slots are a cache line of the processor:

    0       the first seven bytes of the piece, and its length; or a hash of a piece of more than 14 bytes
    1       the next seven bytes, or the length of a longer piece; its highest byte is 0 only in an empty slot
    2, 3    what is known about the piece; for a piece of more than 14 bytes, number 3 says where its bytes are

So a piece is found with a single access to memory, which is requested as soon as its first slot is known. A loop that
has no room for another word returns, and Python calls it again with a larger table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Array, Int32, Int64, UInt8, eight_bytes, entry, inner, natural, prefetch, product

MAX_WORD = 14  # The number of bytes that fit into a spelling.
LONG = MAX_WORD + 1  # The length in the spelling of a longer piece, which contains only its first bytes.
ONLY_ID = -1  # In place of a spelling's first number: the second one is a token ID that stands between pieces.
PIECE_SIZE = 5  # How many numbers of the array `pieces` piece i has, from PIECE_SIZE * i on.
NO_ROOM = -1  # What a loop returns instead of a slot or a number of IDs.
SLOT_SIZE = 4
BYTES_AT = 3  # The index in a slot of the place of a long piece's bytes.
SEVEN_BYTES = 0x00FFFFFFFFFFFFFF
MIX = 0x2545F4914F6CDD1D  # An odd number by which hashes are multiplied.
MAX_KEPT = 255  # The length in bytes up to which a piece's IDs are kept.
BYTES_PER_WORD = 64  # Usual text has a new word after 45 to 200 bytes.
WORDS_USED, BYTES_USED, IDS_USED = range(3)  # The numbers in `Words.used`.


class Piece(NamedTuple):
    """A piece of a text: where it is, the two numbers of its spelling, and its first slot."""

    begin: int
    stop: int
    a: int
    b: int
    slot: int


class Words(NamedTuple):
    """A table of words: its slots, and arrays for what does not fit into them.

    data: the bytes of words. ids: token IDs. used: the count of words, of bytes in `data`, and of IDs in `ids`.
    """

    slots: Int64
    data: UInt8
    ids: Int32
    used: Int64

    @classmethod
    def empty(cls, slots: int = 1 << 12) -> "Words":
        """Make an empty table. The number of slots is a power of two; half of them can be used."""
        size = 4 * slots + MAX_KEPT
        return cls(_empty_slots(slots), np.empty(size, np.uint8), np.empty(size, np.int32), np.zeros(3, np.int64))

    def with_room(self, length: int, expected: int, most: int = 1 << 40) -> "Words":
        """Return the same words, with room for another one of `length` bytes, and for about as many as are `expected`;
        no words if `most` slots do not suffice."""
        slots, data, ids, used = self
        count = len(slots) // SLOT_SIZE
        if 2 * used[WORDS_USED] >= count:
            if count == most:
                return Words.empty(most)
            slots = _empty_slots(min(most, max(2 * count, 2 << expected.bit_length())))
            move(self.slots, slots)
        if used[BYTES_USED] + length > len(data):
            data = np.resize(data, max(len(slots), 2 * (int(used[BYTES_USED]) + length)))
        if used[IDS_USED] + MAX_KEPT > len(ids):
            ids = np.resize(ids, max(len(slots), 2 * len(ids)))
        return Words(slots, data, ids, used)


def _empty_slots(count: int) -> NDArray[np.int64]:
    """Make empty slots, whose pairs begin where a cache line does."""
    memory = np.zeros(SLOT_SIZE * count + 8, np.int64)
    offset = -memory.ctypes.data // 8 % 8
    return memory[offset : offset + SLOT_SIZE * count]


@inner
def key_of(text: Array, begin: int, count: int) -> int:
    """Return `count` bytes, up to seven, as one number."""
    return eight_bytes(text, begin) & (1 << 8 * count) - 1


@inner
def first_slot(slots: Array, a: int, b: int) -> int:
    """Return the slot at which the search for a spelling begins in a table of words: the first one of a pair."""
    mixed = product(a ^ product(b, 0x2127599BF4325C37), MIX)
    return natural((mixed ^ mixed >> 29) >> 9 & len(slots) - 2 * SLOT_SIZE)


@inner
def write_piece(text: Array, begin: int, stop: int, pieces: Array, i: int, slots: Array) -> None:
    """Write the five numbers of piece i, and request its first slot from memory."""
    length = min(stop - begin, LONG)
    a = key_of(text, begin, min(length, 7)) | length << 56
    b = key_of(text, begin + 7, max(min(length, MAX_WORD), 7) - 7)
    slot = first_slot(slots, a, b)
    prefetch(slots, slot)
    at = natural(PIECE_SIZE * i)
    pieces[at], pieces[at + 1], pieces[at + 2], pieces[at + 3], pieces[at + 4] = begin, stop, a, b, slot


@inner
def write_token(token_id: int, place: int, pieces: Array, i: int) -> None:
    """Write a token ID in place of piece i."""
    at = natural(PIECE_SIZE * i)
    pieces[at], pieces[at + 1], pieces[at + 2], pieces[at + 3], pieces[at + 4] = place, place, ONLY_ID, token_id, 0


@inner
def piece_at(pieces: Array, i: int) -> Piece:
    """Return a piece."""
    at = natural(PIECE_SIZE * i)
    return Piece(pieces[at], pieces[at + 1], pieces[at + 2], pieces[at + 3], natural(pieces[at + 4]))


def length_of(pieces: NDArray[np.int64], i: int) -> int:
    """Return the length of piece i in bytes."""
    return int(pieces[PIECE_SIZE * i + 1] - pieces[PIECE_SIZE * i])


@inner
def _long_hash(text: Array, begin: int, stop: int) -> int:
    """Return a hash of seven bytes for a piece of more than eight bytes."""
    mixed = stop - begin
    for p in range(begin, stop - 8, 8):
        mixed = product(mixed ^ eight_bytes(text, p), MIX)
        mixed ^= mixed >> 29
    return product(mixed ^ eight_bytes(text, stop - 8), MIX) >> 8


@inner
def _is_at(text: Array, begin: int, stop: int, data: Array, at: int) -> bool:
    """Tell whether the bytes of a piece are those at data[at]."""
    for p in range(begin, stop):
        if data[at + p - begin] != text[p]:
            return False
    return True


@inner
def find(text: Array, piece: Piece, slots: Array, data: Array) -> tuple[int, int, int]:
    """Return the slot of a piece in a table of words, or the empty slot for it, and the slot's first two numbers."""
    begin, stop, a, b = piece.begin, piece.stop, piece.a, piece.b
    if stop - begin > MAX_WORD:
        a, b = _long_hash(text, begin, stop), stop - begin
    slot = first_slot(slots, a, b)
    while slots[slot + 1] != 0:
        if slots[slot] == a and slots[slot + 1] & SEVEN_BYTES == b:
            if stop - begin <= MAX_WORD or _is_at(text, begin, stop, data, slots[slot + BYTES_AT]):
                break
        slot = natural(slot + SLOT_SIZE & len(slots) - 1)
    return slot, a, b


@inner
def has_room(words: Words, length: int) -> bool:
    """Tell whether there is room for another word of `length` bytes."""
    used = words.used
    if 2 * SLOT_SIZE * used[WORDS_USED] >= len(words.slots) or used[BYTES_USED] + length > len(words.data):
        return False
    return used[IDS_USED] + MAX_KEPT <= len(words.ids)


@inner
def keep_bytes(text: Array, begin: int, stop: int, words: Words) -> int:
    """Copy the bytes of a piece; return their place."""
    at = words.used[BYTES_USED]
    for p in range(begin, stop):
        words.data[at + p - begin] = text[p]
    words.used[BYTES_USED] += stop - begin
    return at


@entry
def move(old: Int64, slots: Int64) -> None:
    """Enter the words of the slots `old` into empty ones, which are more."""
    for at in range(0, len(old), SLOT_SIZE):
        if old[at + 1] == 0:
            continue
        slot = first_slot(slots, old[at], old[at + 1] & SEVEN_BYTES)
        while slots[slot + 1] != 0:
            slot = natural(slot + SLOT_SIZE & len(slots) - 1)
        for i in range(SLOT_SIZE):
            slots[slot + i] = old[at + i]
