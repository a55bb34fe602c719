r"""Splitting 64 bytes at a time: a pattern as algebra on numbers of 64 bits.

A class of characters is a number: its bit j is 1 where byte p + j of the text belongs to the class. Then one operation
of the processor answers a question for 64 bytes:

    text             T h e _ c a t , _ 2 0 2 4 ! \n \n
    letter           1 1 1 . 1 1 1 . . . . . . . . .
    space            . . . 1 . . . . 1 . . . . . . .
    letter << 1      . 1 1 1 . 1 1 1 . . . . . . . .      "the byte before is a letter"
    digit            . . . . . . . . . 1 1 1 1 . . .
    digit & ~(digit << 1)              1                  "a digit, and no digit before it"

Bits are written from left to right here, as text is. So x << 1 moves them to the right, to the next byte.

Each pattern's function returns two numbers: where pieces begin, if the byte at p begins one; and what it leaves
undecided, because it is rare. `certain_starts` keeps the beginnings that nothing undecided can change. Where there is
none, the loops of splitting.py find the end of a piece. They are the definition: without this module, pieces would be
the same.
"""

from g2c.engine.compiled import POSITIVE, Array, between, inner

BLOCK = 64
"""Bytes that are examined at once: a number has 64 bits."""

KNOWN = 0x3FFFFFFFFFFFFFFF
"""The lowest 62 bits: the byte after each of these is known, and their sums do not overflow."""

APOSTROPHE = 0x27


@inner
def gpt2_starts(text: Array, p: int) -> tuple[int, int]:
    r"""Where pieces begin: 's|'t|… | ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

    A run of letters, of digits or of other characters is a piece, together with a space before it. Of a run of white
    space, the last character is by itself, or is the space before a piece.
    """
    letter = between(text, p, 0x41, 0x5A) | between(text, p, 0x61, 0x7A)
    digit = between(text, p, 0x30, 0x39)
    space = between(text, p, 0x20, 0x20)
    white = space | between(text, p, 0x09, 0x0D)
    beyond_ascii = between(text, p, 0x80, 0xFF)
    other = ~(letter | digit | white | beyond_ascii)
    begins = (letter & ~(letter << 1) | digit & ~(digit << 1) | other & ~(other << 1)) & ~(space << 1)
    begins |= white & (~(white << 1) | ~(white >> 1))
    return begins, beyond_ascii | between(text, p, APOSTROPHE, APOSTROPHE)


@inner
def gpt4_starts(text: Array, p: int) -> tuple[int, int]:
    r"""Where pieces begin.

    (?i:'s|…)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
    """
    letter = between(text, p, 0x41, 0x5A) | between(text, p, 0x61, 0x7A)
    digit = between(text, p, 0x30, 0x39)
    space = between(text, p, 0x20, 0x20)
    line_end = between(text, p, 0x0A, 0x0A) | between(text, p, 0x0D, 0x0D)
    blank = space | between(text, p, 0x09, 0x09) | between(text, p, 0x0B, 0x0C)
    white = blank | line_end
    beyond_ascii = between(text, p, 0x80, 0xFF)
    other = ~(letter | digit | white | beyond_ascii)

    # [^\r\n\p{L}\p{N}]?\p{L}+ takes any character before the letters, but a digit or line end. One of the others is
    # taken by ` ?[^\s\p{L}\p{N}]+` first, if another one or a space is before it.
    begins = letter & (digit << 1 | line_end << 1 | other << 1 & (other << 2 | space << 2))
    begins |= digit & ~(digit << 1)
    begins |= other & ~(other << 1) & ~(space << 1)
    # White space: where it begins, except for line ends that `[\r\n]*` takes; behind its last line end; and its last
    # character if that is a blank, because of `\s+(?!\S)`.
    begins |= white & ~(white << 1) & ~(line_end & other << 1)
    begins |= blank & line_end << 1
    begins |= blank & ~(white >> 1)

    undecided = beyond_ascii | between(text, p, APOSTROPHE, APOSTROPHE) | digit & digit << 1 & digit << 2 & digit << 3
    # Blanks behind a line end belong to it if another line end follows them: `\s*[\r\n]+`. A sum carries the bit of the
    # first of them to the end of the blanks. There, a character beyond ASCII may be white space, too.
    blank &= KNOWN
    behind = blank & line_end << 1
    if blank + behind & ~blank & (line_end | beyond_ascii | KNOWN + 1):
        undecided |= behind
    return begins, undecided


@inner
def certain_starts(text: Array, p: int, is_gpt4: bool) -> int:
    """Where pieces certainly begin among the 62 bytes behind p, as bits; p itself, which begins one, is left out.

    Args:
        text: valid UTF-8; `BLOCK` bytes from p on belong to the text.
    """
    begins, undecided = gpt4_starts(text, p) if is_gpt4 else gpt2_starts(text, p)
    certain = KNOWN
    undecided &= POSITIVE
    if undecided != 0:
        certain &= (undecided & -undecided) - 1
        # What follows may decide about the byte before it, too.
        certain &= certain >> 1
    return begins & certain & ~1
