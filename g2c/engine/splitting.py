r"""Splitting text into pieces, each ready to be looked up in a table of words.

    text       H e l l o   w o r l d ,   2 0 2 4
    class      L L L L L S L L L L L O S N N N N       L letter, N number, S space, O other
    gpt2       ^         ^           ^ ^               "Hello" " world" "," " 2024"
    gpt4       ^         ^           ^ ^ ^     ^       "Hello" " world" "," " " "202" "4"

`gpt2_end`, `gpt4_end` and `o200k_end` find the end of a piece as a regex engine does, trying the pattern's alternatives
in order. The Rust library's regex engine decides what a letter, a number or white space is (see patterns.py), so no
second Unicode table can disagree with it. blocks.py finds the pieces of plain text 64 bytes at a time, and leaves rare
cases to these three. All of them repeat what `PATTERNS` defines, and test_splitting.py compares them with the library.

A text is an array of bytes in valid UTF-8, followed by `PADDING`, so that looking ahead needs no bounds check.
"""

import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, normalizers

from g2c.engine.blocks import GIVEN, GPT2, GPT4, O200K, QWEN, WIDTH, certain_starts
from g2c.engine.compiled import Array, Int32, Int64, UInt8, between, entry, expect, inner, lowest_bit
from g2c.engine.parts import Parts
from g2c.engine.words import write_piece
from g2c.tokenizer.patterns import PATTERNS, Pattern

BLANK, WHITE, NEWLINE, LETTER, DIGIT, OTHER, UNKNOWN, UPPER, LOWER, EITHER, ACCENT = range(11)
r"""The classes of characters: BLANK is U+0020, NEWLINE is \r and \n, WHITE is every other white space. UNKNOWN is
the class of a character that no text has contained yet.

For o200k, a LETTER is UPPER, LOWER, or EITHER if it has no case, and a combining mark is an ACCENT instead of OTHER."""

_WAYS = {PATTERNS["gpt2"]: GPT2, PATTERNS["gpt4"]: GPT4, PATTERNS["qwen"]: QWEN, PATTERNS["o200k"]: O200K}

PADDING = WIDTH
"""The number of zero bytes after a text."""

NO_NUMBERS, NO_CLASSES = np.zeros(0, np.int64), np.zeros(0, np.uint8)


def way_of(pattern: Pattern | None) -> int:
    """Return the way to split by `pattern`, as `resolve_pattern` returns it."""
    return _WAYS.get(pattern or "", GIVEN)


def padded(text: bytes) -> NDArray[np.uint8]:
    """Copy a text into an array, with `PADDING` after it."""
    data = np.zeros(len(text) + PADDING, np.uint8)
    data[: len(text)] = np.frombuffer(text, np.uint8)
    return data


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
    """Write code points of unknown class into `found`, until it is full; return how many.

    position[0], the offset from which the text is read, is updated. A code point may be written several times.
    """
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


def classes_for(text: NDArray[np.uint8], way: int = GPT4) -> NDArray[np.uint8]:
    """Return the table of classes, after the Rust library has classified all new characters of a padded text."""
    position, found = np.zeros(1, np.int64), np.empty(4096, np.int32)
    while count := _find_unknown(text, position, _CLASSES, found):
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
def gpt4_end(text: Array, p: int, end: int, classes: Array, more_digits: int) -> int:
    """Return the end of the piece at p. The pattern: PATTERNS["gpt4"], with up to `more_digits` after the first."""
    if text[p] == 0x27:
        stop = _contraction_end(text, p + 1, end, True)
        if stop > 0:
            return stop
    kind, after = character(text, p, classes)
    if kind == LETTER:
        return _run_end(text, after, end, classes, LETTER)
    if kind == DIGIT:
        return _run_end(text, after, end, classes, DIGIT, more_digits)
    if kind != NEWLINE:
        stop = _run_end(text, after, end, classes, LETTER)
        if stop > after:
            return stop
        first = after if kind == BLANK else p
        stop = _run_end(text, first, end, classes, OTHER)
        if stop > first:
            while stop < end and (text[stop] == 0x0A or text[stop] == 0x0D):
                stop += 1
            return stop
    return _white_end(text, p, end, classes, True)


@inner
def o200k_end(text: Array, p: int, end: int, classes: Array) -> int:
    """Return the end of the piece at p. The pattern: PATTERNS["o200k"]. The classes are those for o200k."""
    kind, after = character(text, p, classes)
    if kind == DIGIT:
        return _run_end(text, after, end, classes, DIGIT, 2)
    if kind != NEWLINE:
        # A word is capitals, then small letters; characters without case count as both. A word without small letters
        # ends with its last character without case, if it has one.
        first = p if kind == UPPER or kind == LOWER or kind == EITHER else after
        stop, without_case, small = first, first, False
        while stop < end:
            letter, following = character(text, stop, classes)
            if letter == UPPER and small or letter < UPPER:
                break
            small = small or letter == LOWER
            stop = following
            if letter > LOWER:
                without_case = stop
        if stop > first and not small and without_case > first:
            stop = without_case
        elif kind == ACCENT and not small:
            # An accent joins capitals only if a character without case follows; otherwise, it is a word by itself.
            first, stop = p, after
        if stop > first:
            if stop < end and text[stop] == 0x27:
                contraction = _contraction_end(text, stop + 1, end, True)
                if contraction > 0:
                    return contraction
            return stop
        stop = after if kind == BLANK else p
        first = stop
        while stop < end:
            other, following = character(text, stop, classes)
            if other != OTHER and other != ACCENT:
                break
            stop = following
        if stop > first:
            while stop < end and (text[stop] == 0x0A or text[stop] == 0x0D or text[stop] == 0x2F):
                stop += 1
            return stop
    return _white_end(text, p, end, classes, True)


@inner
def piece_end(text: Array, p: int, end: int, classes: Array, way: int) -> int:
    """Return the end of the piece at p, under one of the named patterns."""
    if way == O200K:
        return o200k_end(text, p, end, classes)
    if way == GPT2:
        return gpt2_end(text, p, end, classes)
    return gpt4_end(text, p, end, classes, 2 if way == GPT4 else 0)


@entry
def _find_bounds(text: UInt8, end: int, way: int, classes: UInt8, bounds: Int64) -> int:
    """Write the ends of all pieces of text[:end] into `bounds`; return their number."""
    p, count = 0, 0
    while p < end:
        p = piece_end(text, p, end, classes, way)
        bounds[count] = p
        count += 1
    return count


def piece_ends(text: bytes, pattern: Pattern) -> NDArray[np.int64]:
    """Return the byte offsets at which the pieces of a text end, under the regex of gpt2, gpt4, qwen or o200k.

    >>> piece_ends("Hello world, 2024".encode(), PATTERNS["gpt4"]).tolist()
    [5, 11, 12, 13, 16, 17]
    """
    expect(len(text))
    bounds = np.empty(len(text), np.int64)
    data, way = padded(text), way_of(pattern)
    return bounds[: _find_bounds(data, len(text), way, classes_for(data, way), bounds)]


# --- the next pieces --------------------------------------------------------------------------------------------------

# Encoding and counting get their pieces from here, more than a hundred at a time, so that all of their slots in the
# table of words have been requested from memory before the first piece is looked up.

AT_ONCE = 128  # How many pieces are split off at a time; there may be up to `WIDTH` more.
MAX_PIECES = AT_ONCE + WIDTH

PART, PLACE, BOUND, NEEDED = range(4)
"""The numbers in the array `position`, which says where encoding and counting continue: the index of the part, the
offset in the text, an index in `bounds` not beyond it, and the length of a piece for which there was no room."""


class Source(NamedTuple):
    """A text to split.

    text: its bytes, padded. begins, ends, ids_after: its parts, see `Parts`. way: the pattern. classes: the table for
    it. bounds: the ends of the pieces if the way is `GIVEN`, else empty.
    """

    text: UInt8
    begins: Int64
    ends: Int64
    ids_after: Int64
    way: int
    classes: UInt8
    bounds: Int64

    @classmethod
    def of(
        cls, text: bytes, parts: Parts, pattern: Pattern | None, bounds: NDArray[np.int64] | None = None
    ) -> "Source":
        """Prepare a text in valid UTF-8. Given `bounds`, the pattern is not applied."""
        data, way = padded(text), GIVEN if bounds is not None else way_of(pattern)
        if way != GIVEN:
            return cls(data, *parts, way, classes_for(data, way), NO_NUMBERS)
        return cls(data, *parts, way, NO_CLASSES, parts.bounds(text, pattern) if bounds is None else bounds)


@inner
def split_off(source: Source, p: int, end: int, position: Array, pieces: Array, slots: Array) -> int:
    """Split off pieces from p on, until `end` is reached or there are at least `AT_ONCE`; return their number.

    `pieces` has room for `MAX_PIECES`, and `slots` is the table in which they will be looked up.
    """
    text, way = source.text, source.way
    count, bound = 0, position[BOUND]
    while p < end and count < AT_ONCE:
        # Where a character beyond ASCII is near, 64 bytes at once would decide nothing.
        if way != GIVEN and text[p] | text[p + 1] < 0x80:
            starts, block = certain_starts(text, p, end, way), p
            while starts != 0:
                stop = block + lowest_bit(starts)
                write_piece(text, p, stop, pieces, count, slots)
                p = stop
                count += 1
                starts &= starts - 1
            if p > block:
                continue
        if way != GIVEN:
            stop = piece_end(text, p, end, source.classes, way)
        else:
            while source.bounds[bound] <= p:
                bound += 1
            if count == 0:
                position[BOUND] = bound
            stop = min(source.bounds[bound], end)
        write_piece(text, p, stop, pieces, count, slots)
        p = stop
        count += 1
    return count
