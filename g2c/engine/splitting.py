"""The gpt2 and gpt4 patterns in numpy: from a block of text to the offsets at which its pieces start.

A regex engine walks through a text character by character. Both patterns can be decided at all characters at once,
because whether a piece starts at a character depends almost only on the classes of it and of its two neighbors:

    text       H e l l o   w o r l d ,   2 0 2 4
    class      L L L L L S L L L L L O S N N N N       L letter, N number, S space, O other
    gpt2       ^         ^           ^ ^               "Hello" " world" "," " 2024"
    gpt4       ^         ^           ^ ^ ^     ^       "Hello" " world" "," " " "202" "4"

So look up the class of each character, combine the classes before, here and after into one number (6 x 6 x 6 = 216
cases), and look that number up in a table that says whether a piece starts here. The few positions that three classes
do not decide are settled afterwards: contractions such as 'll, and under gpt4 the digits of long numbers, letters after
punctuation, and indented lines.

The Rust library's regex engine decides what a letter, a number or white space is (see patterns.py), so no second
Unicode table can disagree with it.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, normalizers

from g2c.tokenizer.patterns import PATTERNS

SPACE, WHITE, NEWLINE, LETTER, NUMBER, OTHER = range(6)
r"""Classes of characters. SPACE is U+0020, NEWLINE is \r and \n, WHITE is every other white space."""

CONTINUATION, BEGINNING = 6, 7
"""Classes of single bytes of a longer character: a byte after the first, or the first, whose class is not known yet."""

NO, YES, ASK = range(3)
"""The rules' answers: whether a piece starts at a character, or that three classes do not decide it."""

PLACEHOLDER = b"\tx"
r"""Two bytes in place of each special token. To the text before it the tab looks like the end of the text: only white
space looks ahead, and it only checks whether more white space follows. The text after it follows a letter and is forced
to start a piece, which is the same as being at the beginning of the text.
"""

PADDING = bytes(16)
"""Zeros appended to a block, so that looking a few bytes ahead needs no bounds check."""

APOSTROPHE = ord("'")
LONG_S = (0xC5, 0xBF)
"""The bytes of U+017F (long s), which matches s when case is ignored."""

_IS_S_T_M_D = np.bincount(list(b"stmd"), minlength=256).astype(bool)
"""For each byte, whether it makes a contraction after an apostrophe."""


def is_vectorized(pattern: str | None) -> TypeGuard[str]:
    """Whether this module can split by `pattern`, a regex as `resolve_pattern` returns it."""
    return pattern in _RULES


def piece_bounds(block: bytes, pattern: str, placeholders: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The offsets at which the pieces of a text start and end.

    Args:
        block: the text as valid UTF-8.
        pattern: the regex of "gpt2" or "gpt4".
        placeholders: ascending offsets of each `PLACEHOLDER` that represents a special token. Each is a piece of its
            own, and the text between two of them is split as if nothing surrounded it.

    Returns:
        ascending byte offsets: the start of each piece, then the end of the text. For an empty text, only the end.

    >>> piece_bounds("Hello world, 2024".encode(), PATTERNS["gpt4"]).tolist()
    [0, 5, 11, 12, 13, 16, 17]
    """
    if not block:
        return np.zeros(1, np.int64)
    table, settle = _RULES[pattern]
    classes, is_first_byte = _character_classes(block)

    # around[k], around[k + 1] and around[k + 2] are the classes before, at and after character k.
    around = np.empty(len(classes) + 2, np.uint8)
    around[0], around[1:-1], around[-1] = NEWLINE, classes, WHITE
    cases = around[:-2] * np.uint8(36)
    cases += around[1:-1] * np.uint8(6)
    cases += around[2:]
    answers = np.frombuffer(bytearray(cases.tobytes().translate(table)), np.uint8)
    answers[0] = YES
    settle(answers, around)

    starts = np.zeros(len(block) + 1, np.uint8)
    starts[:-1][is_first_byte] = answers
    starts[-1] = YES
    _split_contractions(starts, block, ignore_case=pattern == PATTERNS["gpt4"])
    if placeholders is not None and len(placeholders):
        starts[placeholders] = YES
        starts[placeholders + 1] = NO
        starts[placeholders + len(PLACEHOLDER)] = YES
    # flatnonzero is several times faster on bool than on uint8.
    return np.flatnonzero(starts.view(bool))


# --- classes of characters --------------------------------------------------------------------------------------------


def _character_classes(block: bytes) -> tuple[NDArray[np.uint8], NDArray[np.bool_] | slice]:
    """The class of each character, and a mask of the bytes at which characters begin (in ASCII a slice: all bytes)."""
    classes = np.frombuffer(bytearray(block.translate(_class_of_byte())), np.uint8)
    if block.isascii():
        return classes, slice(None)
    beginnings = np.flatnonzero(classes == BEGINNING)
    classes[beginnings] = _CLASS_OF.of(_code_points(block, beginnings))
    is_first_byte = classes != CONTINUATION
    return classes[is_first_byte], is_first_byte


def _code_points(block: bytes, offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Decode the UTF-8 characters of two to four bytes at `offsets`.

    110xxxxx 10yyyyyy                       -> xxxxxyyyyyy
    1110xxxx 10yyyyyy 10zzzzzz              -> xxxxyyyyyyzzzzzz
    11110xxx 10yyyyyy 10zzzzzz 10wwwwww     -> xxxyyyyyyzzzzzzwwwwww
    """
    data = np.frombuffer(block + PADDING, np.uint8)
    first = data[offsets].astype(np.int32)
    y, z, w = (data[offsets + k].astype(np.int32) & 0x3F for k in (1, 2, 3))
    two = (first & 0x1F) << 6 | y
    three = (first & 0x0F) << 12 | y << 6 | z
    four = (first & 0x07) << 18 | y << 12 | z << 6 | w
    code_points: NDArray[np.int32] = np.where(first < 0xE0, two, np.where(first < 0xF0, three, four))
    return code_points


class _Classes:
    """The class of every code point, computed by the Rust engine one page at a time, when a page is first needed."""

    POINTS, PAGE = 0x110000, 0x1000

    def __init__(self) -> None:
        self._table = np.full(self.POINTS, OTHER, np.uint8)
        self._is_known = np.zeros(self.POINTS // self.PAGE, bool)
        # Each class is written as one character that belongs to it, so no rule changes what an earlier one wrote.
        rules = [(r"\s", "\t"), (r"\p{N}", "1"), (r"\p{L}", "a"), (r"[^\t1a]", ".")]
        self._engine = normalizers.Sequence([normalizers.Replace(Regex(regex), to) for regex, to in rules])
        self._answers = bytes.maketrans(b"\t1a.", bytes([WHITE, NUMBER, LETTER, OTHER]))

    def of(self, code_points: NDArray[np.int32]) -> NDArray[np.uint8]:
        """The classes of an array of code points."""
        pages = code_points // self.PAGE
        if not self._is_known[pages].all():
            is_needed = np.bincount(pages, minlength=len(self._is_known)) > 0
            for page in np.flatnonzero(is_needed & ~self._is_known).tolist():
                self._load(page)
        classes: NDArray[np.uint8] = self._table[code_points]
        return classes

    def _load(self, page: int) -> None:
        points = range(page * self.PAGE, (page + 1) * self.PAGE)
        # Surrogates are not characters and never occur in UTF-8; full stops fill their positions.
        text = "".join("." if 0xD800 <= point <= 0xDFFF else chr(point) for point in points)
        answer = self._engine.normalize_str(text).encode().translate(self._answers)
        self._table[points.start : points.stop] = np.frombuffer(answer, np.uint8)
        if page == 0:
            self._table[ord(" ")] = SPACE
            self._table[[ord("\r"), ord("\n")]] = NEWLINE
        self._is_known[page] = True


_CLASS_OF = _Classes()


@lru_cache(maxsize=1)
def _class_of_byte() -> bytes:
    """A table for `bytes.translate`: the class of each ASCII character, and the kind of every other byte."""
    ascii_classes = _CLASS_OF.of(np.arange(0x80, dtype=np.int32)).tobytes()
    return ascii_classes + bytes([CONTINUATION] * 0x40 + [BEGINNING] * 0x40)


# --- rules ------------------------------------------------------------------------------------------------------------


def _is_white(character_class: int) -> bool:
    return character_class in (SPACE, WHITE, NEWLINE)


def _gpt2_rule(before: int, here: int, after: int) -> int:
    r"""Where pieces start under 's|'t|… | ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

    Letters, numbers and others come in runs, each with the one space before it. White space comes in runs too, but
    \s+(?!\S) leaves out its last character before anything else, so that one starts a piece.
    """
    if _is_white(here):
        return YES if not _is_white(before) or not _is_white(after) else NO
    return YES if before not in (here, SPACE) else NO


def _gpt4_rule(before: int, here: int, after: int) -> int:
    r"""Where pieces start under (?i:'s|…)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|…

    Unlike gpt2: letters take any one character before them except a newline or a number; numbers take none and are cut
    after three digits; others take the newlines after them; and a run of white space is cut after its last newline.
    """
    if here == LETTER:
        if before == OTHER:
            return ASK
        return YES if before in (NEWLINE, NUMBER) else NO
    if here == NUMBER:
        return ASK if before == NUMBER else YES
    if here == OTHER:
        return YES if before not in (OTHER, SPACE) else NO
    if here == NEWLINE:
        return YES if before in (LETTER, NUMBER) else NO
    if not _is_white(before) or not _is_white(after):
        return YES
    return ASK if before == NEWLINE else NO


def _table(rule: Callable[[int, int, int], int]) -> bytes:
    """A rule's answers for the 216 cases, as a table for `bytes.translate`."""
    classes = range(6)
    answers = [rule(before, here, after) for before in classes for here in classes for after in classes]
    return bytes(answers).ljust(256, b"\0")


def _settle_gpt2(answers: NDArray[np.uint8], around: NDArray[np.uint8]) -> None:
    """Under gpt2 three classes decide every case."""


def _settle_gpt4(answers: NDArray[np.uint8], around: NDArray[np.uint8]) -> None:
    """Replace every ASK in `answers` by YES or NO. `around[k + 1]` is the class of character k."""
    asked = np.flatnonzero(answers == ASK)
    if not len(asked):
        return
    classes = around[asked + 1]

    # A letter after a single OTHER character takes it into its piece, unless that character belongs to the piece
    # before: when it is not the only one in its run, or when a space precedes it.
    letters = asked[classes == LETTER]
    two_before = around[letters - 1]
    answers[letters] = np.where((two_before == OTHER) | (two_before == SPACE), YES, NO)

    # Every digit of a number but its first was marked ASK: the k-th of these, from 1, starts a piece when k % 3 == 0.
    digits = asked[classes == NUMBER]
    answers[digits] = np.where((digits - run_begins(digits) + 1) % 3 == 0, YES, NO)

    # What remains is white space after a newline and before more white space. It starts a piece when the newlines
    # before it belong to the piece of the punctuation before them, or when no newline follows in the same white space.
    white = asked[(classes != LETTER) & (classes != NUMBER)]
    if len(white):
        kinds = around[1:-1]
        newlines = np.flatnonzero(kinds == NEWLINE)
        before = np.searchsorted(newlines, white) - 1
        after_punctuation = around[run_begins(newlines)[before]] == OTHER
        # Whether anything but white space occurs between a newline and the next. After the last newline: yes.
        words_follow = np.maximum.reduceat(kinds, newlines) >= LETTER
        words_follow[-1] = True
        answers[white] = np.where(after_punctuation | words_follow[before], YES, NO)


def run_begins(positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of the ascending positions, the first position of the run of consecutive ones that it belongs to.

    >>> run_begins(np.array([3, 4, 5, 9, 12, 13])).tolist()
    [3, 3, 3, 9, 12, 12]
    """
    begins = positions.copy()
    begins[1:][np.diff(positions) == 1] = 0
    return np.maximum.accumulate(begins)


def _split_contractions(starts: NDArray[np.uint8], block: bytes, *, ignore_case: bool) -> None:
    """Make an apostrophe that starts a piece, with s, t, m, d, re, ve or ll after it, a piece of its own."""
    apostrophes = np.flatnonzero(np.frombuffer(block, np.uint8) == APOSTROPHE)
    apostrophes = apostrophes[starts[apostrophes] == YES]
    if not len(apostrophes):
        return
    data = np.frombuffer(block + PADDING, np.uint8)
    first, second = data[apostrophes + 1], data[apostrophes + 2]
    lengths = np.zeros(len(apostrophes), np.int64)
    if ignore_case:
        lengths[(first == LONG_S[0]) & (second == LONG_S[1])] = 2
        # Setting bit 5 turns capitals into small letters, and nothing else into s, t, m, d, r, e, v or l.
        first, second = first | 0x20, second | 0x20
    lengths[_IS_S_T_M_D[first]] = 1
    for pair in (b"re", b"ve", b"ll"):
        lengths[(first == pair[0]) & (second == pair[1])] = 2
    found, lengths = apostrophes[lengths > 0], lengths[lengths > 0]
    starts[found + 1] = NO
    starts[found + 1 + lengths] = YES


_RULES = {
    PATTERNS["gpt2"]: (_table(_gpt2_rule), _settle_gpt2),
    PATTERNS["gpt4"]: (_table(_gpt4_rule), _settle_gpt4),
}


# --- safe cuts --------------------------------------------------------------------------------------------------------


def safe_cuts(window: bytes) -> NDArray[np.int64]:
    r"""Offsets at which a text can be cut in two without changing its pieces, under gpt2 and under gpt4.

    A cut is safe right after a letter or a number that is followed by a character of another class:

    1. A piece ends there. No alternative of either pattern matches a letter or number followed by a character of
       another class: letters and numbers are the last thing that an alternative matches.
    2. The text after the cut is split the same without the text before it, since neither pattern looks behind.
    3. The text before the cut is split the same without the text after it. A run of letters or numbers ends there
       either way, a contraction is as complete or incomplete as before, and the only look-ahead, \s+(?!\S), applies
       after white space, while the last character here is a letter or a number.

    Args:
        window: part of a text in UTF-8, which may begin and end within a character.

    Returns:
        ascending offsets into `window`, none of them 0 or its length.

    >>> safe_cuts(b"It's 20 degrees.").tolist()
    [2, 4, 7, 15]
    """
    begin = 0
    while begin < len(window) and 0x80 <= window[begin] < 0xC0:
        begin += 1
    end = len(window)
    # A truncated character has its first byte among the last three.
    for offset in range(max(begin, end - 3), end):
        if window[offset] >= 0xC0:
            end = offset
            break
    text = window[begin:end]
    if not text:
        return np.zeros(0, np.int64)
    classes, is_first_byte = _character_classes(text)
    differs = classes[1:] != classes[:-1]
    is_word = (classes[:-1] == LETTER) | (classes[:-1] == NUMBER)
    characters = np.flatnonzero(differs & is_word) + 1
    offsets: NDArray[np.int64] = begin + np.arange(len(text))[is_first_byte][characters]
    return offsets
