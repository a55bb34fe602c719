"""Splitting off the next pieces of a text, each ready to be looked up in a table of words.

    text            T h e _ c a t , _ 2 0 2 4
    pieces          The        _cat       ,         _2024
      ends at       3          7          8         13
      its bytes     two numbers, of up to seven bytes each; with the first of them its length
      first slot    where a table of words would have it

Encoding and counting each have a table of words. They take their pieces from here, more than a hundred at a time: when
the first of these is looked up, the slots of all have been requested from memory.
"""

from g2c.engine.blocks import BLOCK, certain_starts
from g2c.engine.compiled import Array, eight_bytes, inner, lowest_bit, natural, prefetch, product
from g2c.engine.splitting import GIVEN, GPT2, GPT4, gpt2_end, gpt4_end

AHEAD = 128
"""Number of pieces that are split off at a time, or up to `BLOCK` more."""

MAX_PIECES = AHEAD + BLOCK

STOP, BYTES, FIRST_SLOT, PIECE_SIZE = 0, 1, 3, 4
"""Piece i has four numbers in the array `pieces`, from 4 * i on: its end, two numbers of its bytes, its first slot."""

MAX_WORD = 14
"""Two numbers have room for a piece of so many bytes."""

LONG = MAX_WORD + 1
"""The length of a longer piece among its two numbers, which are those of its first bytes."""

SLOT_SIZE = 4
"""Numbers of a slot in a table of words. The first two are those of a word."""

SEVEN_BYTES = 0x00FFFFFFFFFFFFFF

MIX = 0x2545F4914F6CDD1D
"""Hashes are multiplied by this odd number."""


@inner
def key_of(text: Array, begin: int, count: int) -> int:
    """`count` bytes, up to seven, as one number."""
    return eight_bytes(text, begin) & (1 << 8 * count) - 1


@inner
def first_slot(words: Array, a: int, b: int) -> int:
    """Where in a table of words the piece with these two numbers is looked for first: at the first slot of a pair."""
    mixed = product(a ^ product(b, 0x2127599BF4325C37), MIX)
    return natural((mixed ^ mixed >> 29) >> 9 & len(words) - 2 * SLOT_SIZE)


@inner
def long_hash(text: Array, begin: int, stop: int) -> int:
    """A number of at most seven bytes for a piece of more than eight."""
    mixed = stop - begin
    for p in range(begin, stop - 8, 8):
        mixed = product(mixed ^ eight_bytes(text, p), MIX)
        mixed ^= mixed >> 29
    return product(mixed ^ eight_bytes(text, stop - 8), MIX) >> 8


@inner
def write_piece(text: Array, begin: int, stop: int, pieces: Array, at: int, words: Array) -> None:
    """Write the four numbers of a piece. Behind the text there is `PADDING`."""
    length, at = min(stop - begin, LONG), natural(at)
    a = key_of(text, begin, min(length, 7)) | length << 56
    b = key_of(text, begin + 7, max(min(length, MAX_WORD), 7) - 7)
    slot = first_slot(words, a, b)
    prefetch(words, slot)
    pieces[at + STOP], pieces[at + FIRST_SLOT] = stop, slot
    pieces[at + BYTES], pieces[at + BYTES + 1] = a, b


PART, PLACE, BOUND, NEEDED = range(4)
"""What the array `position` has: where encoding and counting go on.

The part of the text, the offset in it, the index of one of `bounds` before it, and of how many bytes a piece is that
there is no room for.
"""


@inner
def split_off(
    text: Array, p: int, end: int, way: int, classes: Array, bounds: Array, position: Array, pieces: Array, words: Array
) -> int:
    """Split off pieces from p on, until `end` is reached or there are at least `AHEAD`; returns their number.

    Args:
        way, classes, bounds: how to split; the class of each code point; the ends of the pieces if `GIVEN`.
        position: see `PART`. `position[BOUND]` is updated.
        pieces: has room for `MAX_PIECES`.
        words: the table in which the pieces will be looked up.
    """
    count, bound = 0, position[BOUND]
    while p < end and count < AHEAD:
        # Where a character beyond ASCII is near, a block would decide nothing.
        if way != GIVEN and end - p >= BLOCK and text[p] | text[p + 1] < 0x80:
            starts, block = certain_starts(text, p, way == GPT4), p
            while starts != 0:
                stop = block + lowest_bit(starts)
                write_piece(text, p, stop, pieces, PIECE_SIZE * count, words)
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
                position[BOUND] = bound
            stop = min(bounds[bound], end)
        write_piece(text, p, stop, pieces, PIECE_SIZE * count, words)
        p = stop
        count += 1
    return count
