r"""Splitting text into pieces, each ready to be looked up in a table of words.

    text       H e l l o   w o r l d ,   2 0 2 4
    class      L L L L L S L L L L L O S N N N N       L letter, N number, S space, O other
    gpt2       ^         ^           ^ ^               "Hello" " world" "," " 2024"
    gpt4       ^         ^           ^ ^ ^     ^       "Hello" " world" "," " " "202" "4"

`gpt2_end`, `gpt4_end` and `o200k_end` find the end of a piece as a regex engine does, trying the pattern's alternatives
in order. The Rust library's regex engine decides what a letter, a number or white space is (see patterns.py). blocks.py
finds the pieces of plain text 64 bytes at a time, and leaves rare cases to these three. All of them repeat what
`PATTERNS` defines, and test_splitting.py compares them with the library.

A text is an array of bytes in valid UTF-8, followed by `PADDING`, so that looking ahead needs no bounds check.
"""

import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, normalizers

from g2c.engine.blocks import GIVEN, GPT2, GPT4, O200K, QWEN, WIDTH, certain_starts
from g2c.engine.compiled import Array, Int32, Int64, UInt8, between, entry, inner, lowest_bit
from g2c.engine.parts import NO_TOKEN, Parts
from g2c.engine.words import PIECE_SIZE, write_piece, write_token
from g2c.tokenizer.patterns import PATTERNS, Pattern

BLANK, WHITE, NEWLINE, LETTER, DIGIT, OTHER, UNKNOWN, UPPER, LOWER, EITHER, ACCENT = range(11)
r"""The classes of characters: BLANK is U+0020, NEWLINE is \r and \n, WHITE is every other white space. UNKNOWN is
the class of a character that no text has contained yet. For o200k, a LETTER is UPPER, LOWER, or EITHER if it has no
case, and a combining mark is an ACCENT instead of OTHER."""

_WAYS = {PATTERNS["gpt2"]: GPT2, PATTERNS["gpt4"]: GPT4, PATTERNS["qwen"]: QWEN, PATTERNS["o200k"]: O200K}

PADDING = WIDTH
"""The number of zero bytes after a text."""

NO_NUMBERS, NO_CLASSES = np.zeros(0, np.int64), np.zeros(0, np.uint8)


def way_of(pattern: Pattern | None) -> int:
    """Return the way to split by `pattern`, as `resolve_pattern` returns it."""
    return _WAYS.get(pattern or "", GIVEN)


def padded(text: bytes) -> NDArray[np.uint8]:
    """Copy a text into an array, with `PADDING` after it."""
    return np.concatenate((np.frombuffer(text, np.uint8), np.zeros(PADDING, np.uint8)))


# --- classes of characters --------------------------------------------------------------------------------------------


_RULES = {
    r"\s": ("\t", WHITE),
    r"\p{N}": ("1", DIGIT),
    r"[\p{Lm}\p{Lo}]": ("ª", EITHER),
    r"[\p{Lu}\p{Lt}]": ("A", UPPER),
    r"\p{Ll}": ("a", LOWER),
    r"\p{M}": ("\u0301", ACCENT),
    "[^\t1ªAa\u0301]": (".", OTHER),
}
"""A regex -> one of its characters, which no later rule changes and which stands for the class; the class."""

_CLASSIFIER = normalizers.Sequence([normalizers.Replace(Regex(regex), to) for regex, (to, _) in _RULES.items()])
_CLASS_OF = str.maketrans({to: chr(kind) for to, kind in _RULES.values()})
_WITHOUT_CASE = np.arange(ACCENT + 1, dtype=np.uint8)
_WITHOUT_CASE[[UPPER, LOWER, EITHER, ACCENT]] = LETTER, LETTER, LETTER, OTHER

_CLASSES, _CASED = (np.full(sys.maxunicode + 1, UNKNOWN, np.uint8) for _ in range(2))
"""The class of every code point that a text has contained; _CASED is for o200k."""


def _classify(characters: str) -> None:
    """Enter the classes of characters into both tables."""
    points = [*map(ord, characters)]
    kinds = np.frombuffer(_CLASSIFIER.normalize_str(characters).translate(_CLASS_OF).encode(), np.uint8)
    _CASED[points], _CLASSES[points] = kinds, _WITHOUT_CASE[kinds]


_classify("".join(map(chr, range(0x80))))
for _table in (_CLASSES, _CASED):
    _table[[*b" \r\n"]] = BLANK, NEWLINE, NEWLINE


@entry
def _find_unknown(text: UInt8, position: Int64, classes: UInt8, found: Int32) -> int:
    """Write code points of unknown class into `found`, until it is full; return how many. A code point may be written
    several times. position[0], the offset from which the text is read, is updated."""
    count, p = 0, position[0]
    while p < len(text) - PADDING and count < len(found):
        beyond_ascii = between(text, p, 0x80, 0xFF)
        if beyond_ascii == 0:
            p += WIDTH
            continue
        point, p = _code_point(text, p + lowest_bit(beyond_ascii))
        if classes[point] == UNKNOWN:
            found[count] = point
            count += 1
    position[0] = p
    return count


def classes_for(text: bytes, data: NDArray[np.uint8], way: int) -> NDArray[np.uint8]:
    """Return the table of classes, after the Rust library has classified all new characters of `text`, which is also
    in `data`, padded."""
    if not text.isascii():
        position, found = np.zeros(1, np.int64), np.empty(4096, np.int32)
        while count := _find_unknown(data, position, _CLASSES, found):
            _classify("".join(set(map(chr, found[:count].tolist()))))
    return _CASED if way == O200K else _CLASSES


# --- one piece --------------------------------------------------------------------------------------------------------


@inner
def _code_point(text: Array, p: int) -> tuple[int, int]:
    """Return the code point of the character at p, and the offset of the next character."""
    first = text[p]
    if first < 0x80:
        return first, p + 1
    if first < 0xE0:
        return (first & 0x1F) << 6 | (text[p + 1] & 0x3F), p + 2
    point = (text[p + 1] & 0x3F) << 6 | (text[p + 2] & 0x3F)
    if first < 0xF0:
        return (first & 0x0F) << 12 | point, p + 3
    return (first & 0x07) << 18 | point << 6 | (text[p + 3] & 0x3F), p + 4


@inner
def character(text: Array, p: int, classes: Array) -> tuple[int, int]:
    """Return the class of the character at p, and the offset of the next character."""
    point, after = _code_point(text, p)
    return classes[point], after


@inner
def _run_end(text: Array, p: int, end: int, classes: Array, wanted: int, most: int = -1) -> int:
    """Return the end of the run of characters of class `wanted` that begins at p, or after `most` of them."""
    while p < end and most != 0:
        kind, after = character(text, p, classes)
        if kind != wanted:
            break
        p = after
        most -= 1
    return p


@inner
def _white_end(text: Array, p: int, end: int, classes: Array, ends_at_newline: bool) -> int:
    r"""Return the end of the white space at p: of \s*[\r\n]+ if `ends_at_newline`, else of \s+(?!\S), else of \s+."""
    last, stop, after_newline = p, p, p
    while stop < end:
        kind, after = character(text, stop, classes)
        if kind > NEWLINE:
            break
        last, stop = stop, after
        if kind == NEWLINE:
            after_newline = after
    if ends_at_newline and after_newline > p:
        return after_newline
    if stop < end and last > p:
        # Something else follows: the last white space goes with it.
        return last
    return stop


@inner
def _contraction_end(text: Array, p: int, end: int, ignore_case: bool) -> int:
    """Return the end of s, t, m, d, re, ve or ll at p, after an apostrophe; 0 without one of them."""
    if p >= end:
        return 0
    # Setting bit 5 turns capitals into small letters, and no other byte into one of these letters.
    bit = 0x20 if ignore_case else 0
    first = text[p] | bit
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:
        return p + 1
    if p + 1 >= end:
        return 0
    if ignore_case and text[p] == 0xC5 and text[p + 1] == 0xBF:
        # U+017F, the long s, matches s when case is ignored.
        return p + 2
    second = text[p + 1] | bit
    if second == 0x65 and (first == 0x72 or first == 0x76) or first == 0x6C and second == 0x6C:
        return p + 2
    return 0


@inner
def gpt2_end(text: Array, p: int, end: int, classes: Array) -> int:
    """Return the end of the piece at p. The pattern: PATTERNS["gpt2"]."""
    if text[p] == 0x27:
        stop = _contraction_end(text, p + 1, end, False)
        if stop > 0:
            return stop
    first = p + 1 if text[p] == 0x20 else p
    if first < end:
        kind, after = character(text, first, classes)
        if kind >= LETTER:
            return _run_end(text, after, end, classes, kind)
    return _white_end(text, p, end, classes, False)


@inner
def _other_end(text: Array, p: int, end: int, classes: Array, also: int) -> int:
    r"""Return the end of ` ?[^\s\p{L}\p{N}]+[\r\n]*` at p, or of white space. `[\r\n]*` takes the byte `also`, too."""
    first = p + 1 if text[p] == 0x20 else p
    stop = first
    while stop < end:
        kind, after = character(text, stop, classes)
        if kind != OTHER and kind != ACCENT:
            break
        stop = after
    if stop == first:
        return _white_end(text, p, end, classes, True)
    while stop < end and (text[stop] == 0x0A or text[stop] == 0x0D or text[stop] == also):
        stop += 1
    return stop


@inner
def gpt4_end(text: Array, p: int, end: int, classes: Array, more_digits: int) -> int:
    """Return the end of the piece at p. The pattern: PATTERNS["gpt4"], with up to `more_digits` after the first."""
    if text[p] == 0x27:
        stop = _contraction_end(text, p + 1, end, True)
        if stop > 0:
            return stop
    kind, after = character(text, p, classes)
    if kind == DIGIT:
        return _run_end(text, after, end, classes, DIGIT, more_digits)
    if kind != NEWLINE:
        stop = _run_end(text, after, end, classes, LETTER)
        if stop > after or kind == LETTER:
            return stop
    return _other_end(text, p, end, classes, 0x0A)


@inner
def _cased_end(text: Array, p: int, end: int, classes: Array) -> tuple[int, bool]:
    """Return the end of the word at p, and whether it has capitals alone. A word is capitals, then small letters;
    characters without case count as both. Without small letters, it ends with its last character without case, if any.
    """
    stop, without_case, small = p, p, False
    while stop < end:
        kind, after = character(text, stop, classes)
        if kind == UPPER and small or kind < UPPER:
            break
        small = small or kind == LOWER
        stop = after
        if kind > LOWER:
            without_case = stop
    if not small and without_case > p:
        return without_case, False
    return stop, not small


@inner
def o200k_end(text: Array, p: int, end: int, classes: Array) -> int:
    """Return the end of the piece at p. The pattern: PATTERNS["o200k"]. The classes are those for o200k."""
    kind, after = character(text, p, classes)
    if kind == DIGIT:
        return _run_end(text, after, end, classes, DIGIT, 2)
    if kind != NEWLINE:
        first = p if kind == UPPER or kind == LOWER or kind == EITHER else after
        stop, capitals_alone = _cased_end(text, first, end, classes)
        if kind == ACCENT and capitals_alone:
            # An accent joins capitals only if a character without case follows; otherwise, it is a word by itself.
            first, stop = p, after
        if stop > first:
            if stop < end and text[stop] == 0x27:
                return max(stop, _contraction_end(text, stop + 1, end, True))
            return stop
    return _other_end(text, p, end, classes, 0x2F)


@inner
def piece_end(text: Array, p: int, end: int, classes: Array, way: int) -> int:
    """Return the end of the piece at p, under one of the named patterns."""
    if way == O200K:
        return o200k_end(text, p, end, classes)
    if way == GPT2:
        return gpt2_end(text, p, end, classes)
    return gpt4_end(text, p, end, classes, 2 if way == GPT4 else 0)


# --- the next pieces --------------------------------------------------------------------------------------------------

# Encoding and counting get their pieces from here, more than a hundred at a time, so that all of their slots in the
# table of words have been requested from memory before the first piece is looked up.

AT_ONCE = 128  # How many pieces are split off at a time, and as many more as begin in a block of `WIDTH` bytes.


def room_for_pieces() -> NDArray[np.int64]:
    """Make the array `pieces`."""
    return np.empty(PIECE_SIZE * (AT_ONCE + WIDTH), np.int64)


class Source(NamedTuple):
    """A text to split: its bytes, padded; its `Parts`; the pattern, and the classes for it; the ends of the pieces if
    the way is `GIVEN`, else none."""

    text: UInt8
    begins: Int64
    ends: Int64
    ids_after: Int64
    way: int
    classes: UInt8
    bounds: Int64

    @classmethod
    def of(cls, text: bytes, parts: Parts, pattern: Pattern | None) -> "Source":
        """Prepare a text in valid UTF-8. Without a pattern, each part is a piece."""
        way = way_of(pattern)
        if way == GIVEN:
            return cls.given(text, parts, parts.bounds(text, pattern))
        data = padded(text)
        return cls(data, *parts, way, classes_for(text, data, way), NO_NUMBERS)

    @classmethod
    def given(cls, text: bytes, parts: Parts, bounds: NDArray[np.int64]) -> "Source":
        """Prepare a text whose pieces end at the offsets `bounds`, and where its parts do."""
        return cls(padded(text), *parts, GIVEN, NO_CLASSES, bounds)


class Position(NamedTuple):
    """Where a loop continues: in a source, the index of the part, the offset in the text, and the index in `bounds` of
    the piece before it; of the pieces that have been split off, the next one to look up, and their number."""

    part: int = 0
    place: int = 0
    bound: int = 0
    next: int = 0
    end: int = 0


@inner
def at_piece(position: Position, i: int) -> tuple[int, int, int, int, int]:
    """Return the position at piece i, as a plain tuple, which numba returns to Python faster."""
    return position.part, position.place, position.bound, i, position.end


@inner
def split_ahead(source: Source, position: Position, pieces: Array, slots: Array) -> Position:
    """Split off the next pieces, none at the end of the text, which will be looked up in `slots`; return the new
    position. The ID after a part follows its pieces."""
    part, p, bound, count = position.part, position.place, position.bound, 0
    while part < len(source.ends) and count < AT_ONCE:
        p, end = max(p, source.begins[part]), source.ends[part]
        while p < end and count < AT_ONCE:
            block, starts = p, 0
            # Where a character beyond ASCII is near, 64 bytes at once would decide nothing.
            if source.way != GIVEN and source.text[p] | source.text[p + 1] < 0x80:
                starts = certain_starts(source.text, p, end, source.way)
            while starts != 0:
                stop = block + lowest_bit(starts)
                write_piece(source.text, p, stop, pieces, count, slots)
                p, count, starts = stop, count + 1, starts & starts - 1
            if p == block:
                if source.way == GIVEN:
                    while source.bounds[bound] <= p:
                        bound += 1
                    stop = min(source.bounds[bound], end)
                else:
                    stop = piece_end(source.text, p, end, source.classes, source.way)
                write_piece(source.text, p, stop, pieces, count, slots)
                p, count = stop, count + 1
        if p == end:
            if source.ids_after[part] != NO_TOKEN:
                write_token(source.ids_after[part], p, pieces, count)
                count += 1
            part += 1
    return Position(part, p, bound, 0, count)
