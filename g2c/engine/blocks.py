"""Finding the pieces of plain text 64 bytes at a time.

A class of characters is a number whose bit j is 1 if byte p + j of the text belongs to the class. Then one instruction
answers a question for 64 bytes:

    text             T h e _ c a t , _ 2 0 2 4 ! \n \n
    letter           1 1 1 . 1 1 1 . . . . . . . . .
    space            . . . 1 . . . . 1 . . . . . . .
    letter << 1      . 1 1 1 . 1 1 1 . . . . . . . .      "the byte before is a letter"
    digit            . . . . . . . . . 1 1 1 1 . . .
    digit & ~(digit << 1)              1                  "a digit, and no digit before it"

Bits are written from left to right here, like text. So x << 1 moves them to the right, to the next byte.

`_starts` returns two numbers: where pieces begin, if one begins at p; and which bytes are undecided, because they are
rare. `certain_starts` keeps the beginnings that no undecided byte can change; splitting.py finds the others one by one.
Bytes beyond the end of the text count as white space, so that white space at the end does not look like a space before
a word.
"""

from g2c.engine.compiled import POSITIVE, Array, between, inner

GPT2, GPT4, QWEN, O200K, GIVEN = range(5)
"""The ways to split: under a named pattern, or at given offsets. QWEN is GPT4 with single digits."""

WIDTH = 64
"""How many bytes are examined at once: one for each bit of a number."""

KNOWN = 0x3FFFFFFFFFFFFFFF  # The lowest 62 bits: the byte after each is known, and sums do not overflow.


@inner
def _starts(text: Array, p: int, beyond: int, way: int) -> tuple[int, int]:
    """Return where pieces begin under a named pattern, and which bytes are undecided."""
    upper, lower = between(text, p, 0x41, 0x5A), between(text, p, 0x61, 0x7A)
    letter = upper | lower
    digit = between(text, p, 0x30, 0x39)
    space = between(text, p, 0x20, 0x20)
    line_end = between(text, p, 0x0A, 0x0A) | between(text, p, 0x0D, 0x0D)
    blank = space | between(text, p, 0x09, 0x09) | between(text, p, 0x0B, 0x0C)
    white = blank | line_end | beyond
    beyond_ascii = between(text, p, 0x80, 0xFF)
    other = ~(letter | digit | white | beyond_ascii)
    undecided = beyond_ascii | between(text, p, 0x27, 0x27)
    if way == GPT2:
        # A run of letters, of digits or of other characters is a piece, together with a space before it. The last
        # character of a run of white space is a piece, or is the space before one.
        begins = (letter & ~(letter << 1) | digit & ~(digit << 1) | other & ~(other << 1)) & ~(space << 1)
        return begins | white & (~(white << 1) | ~(white >> 1)), undecided

    # [^\r\n\p{L}\p{N}]?\p{L}+ takes any character before the letters except a digit or line end. But if another one of
    # them or a space comes before that character, ` ?[^\s\p{L}\p{N}]+` takes it first.
    begins = letter & (digit << 1 | line_end << 1 | other << 1 & (other << 2 | space << 2))
    begins |= digit & ~(digit << 1)
    begins |= other & ~(other << 1) & ~(space << 1)
    if way == QWEN:
        begins |= digit
    else:
        undecided |= digit & digit << 1 & digit << 2 & digit << 3
    if way == O200K:
        # A capital after a small letter begins a word. `[\r\n/]*` takes slashes after a line end.
        begins |= upper & lower << 1
        undecided |= other & line_end << 1 & between(text, p, 0x2F, 0x2F)
    # Pieces begin at the first character of white space, except for line ends that `[\r\n]*` takes; after the last line
    # end in it; and at its last character, if that is a blank, because of `\s+(?!\S)`.
    begins |= white & ~(white << 1) & ~(line_end & other << 1)
    begins |= blank & line_end << 1
    begins |= blank & ~(white >> 1)
    return begins, undecided | _undecided_blanks(blank, line_end, beyond_ascii)


@inner
def _undecided_blanks(blank: int, line_end: int, beyond_ascii: int) -> int:
    r"""Return the first blanks after line ends, if other line ends may follow them: `\s*[\r\n]+` takes these blanks."""
    # A sum carries the bit of the first blank to the end of the blanks. A character beyond ASCII there may be white
    # space, too.
    blank &= KNOWN
    behind = blank & line_end << 1
    after_blanks = (blank + behind) & ~blank
    return behind if after_blanks & (line_end | beyond_ascii | KNOWN + 1) != 0 else 0


@inner
def certain_starts(text: Array, p: int, end: int, way: int) -> int:
    """Return where pieces certainly begin among the 62 bytes from p on, as bits, without p itself, which begins one.

    The text ends at `end`, which counts as such a place.
    """
    beyond = -1 << end - p if end - p < WIDTH else 0
    begins, undecided = _starts(text, p, beyond, way)
    begins = begins & ~beyond | beyond & -beyond
    certain = KNOWN
    undecided &= POSITIVE & ~beyond
    if undecided != 0:
        certain &= (undecided & -undecided) - 1
        # An undecided byte may decide about the byte before it, too.
        certain &= certain >> 1
    return begins & certain & ~1
