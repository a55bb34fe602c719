"""The gpt2 and gpt4 patterns as loops: where the piece that starts at a byte ends.

    text       H e l l o   w o r l d ,   2 0 2 4
    class      L L L L L S L L L L L O S N N N N       L letter, N number, S space, O other
    gpt2       ^         ^           ^ ^               "Hello" " world" "," " 2024"
    gpt4       ^         ^           ^ ^ ^     ^       "Hello" " world" "," " " "202" "4"

Each function tries a pattern's alternatives in their order, as a regex engine does. The Rust library's regex engine
decides what a letter, a number or white space is (see patterns.py), so no second Unicode table can disagree with it.

A text is an array of bytes, valid UTF-8 with `PADDING` behind it, so that looking ahead needs no bounds check.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, normalizers

from g2c.engine.compiled import Array, Int32, Int64, UInt8, between, entry, inner, lowest_bit
from g2c.tokenizer.patterns import PATTERNS

SPACE, WHITE, NEWLINE, LETTER, NUMBER, OTHER, UNKNOWN = range(7)
r"""Classes of characters. SPACE is U+0020, NEWLINE is \r and \n, WHITE is every other white space. UNKNOWN is in place
of a class that no text has needed yet."""

GPT2, GPT4, GIVEN = range(3)
"""Ways to split: by a named pattern, or at given offsets."""

PADDING = 16
"""Number of zero bytes behind a text."""


def way_of(pattern: str | None) -> int:
    """How text is split by `pattern`, a regex as `resolve_pattern` returns it, or None."""
    return {PATTERNS["gpt2"]: GPT2, PATTERNS["gpt4"]: GPT4}.get(pattern or "", GIVEN)


def padded(text: bytes) -> NDArray[np.uint8]:
    """The text as an array, with `PADDING` behind it."""
    data = np.zeros(len(text) + PADDING, np.uint8)
    data[: len(text)] = np.frombuffer(text, np.uint8)
    return data


# --- pieces -----------------------------------------------------------------------------------------------------------


@inner
def _code_point(text: Array, p: int) -> tuple[int, int]:
    """The code point of the character at p, and the offset of the next one."""
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
    """The class of the character at p, and the offset of the next one."""
    point, after = _code_point(text, p)
    return classes[point], after


@inner
def _run_end(text: Array, p: int, end: int, classes: Array, wanted: int) -> int:
    """The end of the characters of class `wanted` from p on; p if there is none."""
    while p < end:
        kind, after = character(text, p, classes)
        if kind != wanted:
            break
        p = after
    return p


@inner
def _white_end(text: Array, p: int, end: int, classes: Array, ends_at_newline: bool) -> int:
    r"""The end of the piece of white space at p: \s*[\r\n]+ if `ends_at_newline`, then \s+(?!\S), then \s+."""
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
    """The end of s, t, m, d, re, ve or ll at p, after an apostrophe; 0 if none of them is there."""
    if p >= end:
        return 0
    # Setting bit 5 turns capitals into small letters, and nothing else into s, t, m, d, r, e, v or l.
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
    r"""The end of the piece at p: 's|'t|… | ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
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
def gpt4_end(text: Array, p: int, end: int, classes: Array) -> int:
    r"""The end of the piece at p.

    (?i:'s|…)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
    """
    if text[p] == 0x27:
        stop = _contraction_end(text, p + 1, end, True)
        if stop > 0:
            return stop
    kind, after = character(text, p, classes)
    if kind == LETTER:
        return _run_end(text, after, end, classes, LETTER)
    if kind == NUMBER:
        for _ in range(2):
            if after < end:
                kind, stop = character(text, after, classes)
                if kind != NUMBER:
                    break
                after = stop
        return after
    if kind != NEWLINE:
        stop = _run_end(text, after, end, classes, LETTER)
        if stop > after:
            return stop
        first = after if kind == SPACE else p
        stop = _run_end(text, first, end, classes, OTHER)
        if stop > first:
            while stop < end and (text[stop] == 0x0A or text[stop] == 0x0D):
                stop += 1
            return stop
    return _white_end(text, p, end, classes, True)


@entry
def _find_bounds(text: UInt8, end: int, way: int, classes: UInt8, bounds: Int64) -> int:
    """Write the ends of all pieces of text[:end] into `bounds`; returns their number."""
    p, count = 0, 0
    while p < end:
        p = gpt2_end(text, p, end, classes) if way == GPT2 else gpt4_end(text, p, end, classes)
        bounds[count] = p
        count += 1
    return count


def piece_ends(text: bytes, pattern: str) -> NDArray[np.int64]:
    """The byte offsets at which the pieces of a text end.

    Args:
        text: valid UTF-8.
        pattern: the regex of "gpt2" or "gpt4".

    >>> piece_ends("Hello world, 2024".encode(), PATTERNS["gpt4"]).tolist()
    [5, 11, 12, 13, 16, 17]
    """
    bounds = np.empty(len(text), np.int64)
    data = padded(text)
    return bounds[: _find_bounds(data, len(text), way_of(pattern), classes_for(data), bounds)]


# --- classes of characters --------------------------------------------------------------------------------------------


_RULES = [(r"\s", "\t"), (r"\p{N}", "1"), (r"\p{L}", "a"), (r"[^\t1a]", ".")]
"""Each class is written as one character that belongs to it, so no rule changes what an earlier one wrote."""
_CLASSIFIER = normalizers.Sequence([normalizers.Replace(Regex(regex), to) for regex, to in _RULES])
_ANSWERS = bytes.maketrans(b"\t1a.", bytes([WHITE, NUMBER, LETTER, OTHER]))


def _classified(characters: str) -> NDArray[np.uint8]:
    """The class of each character."""
    return np.frombuffer(_CLASSIFIER.normalize_str(characters).encode().translate(_ANSWERS), np.uint8)


_CLASSES = np.full(sys.maxunicode + 1, UNKNOWN, np.uint8)
_CLASSES[:0x80] = _classified("".join(map(chr, range(0x80))))
_CLASSES[ord(" ")] = SPACE
_CLASSES[[ord("\r"), ord("\n")]] = NEWLINE


@entry
def _find_unknown(text: UInt8, position: Int64, classes: UInt8, found: Int32) -> int:
    """Write code points whose class is not known yet into `found`, until it is full; returns how many.

    The first number of `position` is where the text is read from; updated. A code point may be written several times.
    """
    count, p = 0, position[0]
    while p < len(text) and count < len(found):
        if p + 64 <= len(text):
            beyond_ascii = between(text, p, 0x80, 0xFF)
            if beyond_ascii == 0:
                p += 64
                continue
            p += lowest_bit(beyond_ascii)
        point, p = _code_point(text, p)
        if classes[point] == UNKNOWN:
            found[count] = point
            count += 1
    position[0] = p
    return count


def classes_for(text: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The class of every code point; right for all characters of `text`, which is valid UTF-8.

    The Rust engine classifies a character when a text contains it for the first time.
    """
    position, found = np.zeros(1, np.int64), np.empty(4096, np.int32)
    while count := _find_unknown(text, position, _CLASSES, found):
        characters = "".join(set(map(chr, found[:count].tolist())))
        _CLASSES[[*map(ord, characters)]] = _classified(characters)
    return _CLASSES
