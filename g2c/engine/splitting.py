"""The gpt2 and gpt4 patterns in numpy: a block of text to the offsets at which its pieces start.

A regex engine walks through a text character by character. Both patterns can be decided at all characters at once,
because whether a piece starts at a character hardly depends on more than the classes of it and of its two neighbours:

    text       H e l l o   w o r l d ,   2 0 2 4
    class      L L L L L S L L L L L O S N N N N       L letter, N number, S space, O other
    gpt2       ^         ^           ^ ^               "Hello" " world" "," " 2024"
    gpt4       ^         ^           ^ ^ ^     ^       "Hello" " world" "," " " "202" "4"

So: look up the class of each character, make one number of the classes before, here and after (6 x 6 x 6 = 216 cases),
and look that number up in a table that says whether a piece starts here. What three classes cannot tell is settled
afterwards, at the few places concerned: contractions such as 'll, and under gpt4 the digits of long numbers, letters
after punctuation, and indented lines.

What a letter, a number or white space is, the Rust library's regex engine says (see patterns.py); there is no second
Unicode table here that could differ from it.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from tokenizers import Regex, normalizers

from g2c.tokenizer.patterns import PATTERNS

SPACE, WHITE, NEWLINE, LETTER, NUMBER, OTHER = range(6)
r"""Classes of characters. SPACE is U+0020, NEWLINE is \r and \n, WHITE is every other white space."""

CONTINUATION, BEGINNING = 6, 7
"""What a single byte of a longer character can be: one after the first, or the first, whose class is still to be found.
"""

NO, YES, ASK = range(3)
"""The rules' answers: whether a piece starts at a character, or that it takes more than three classes to tell."""

STAND_IN = b"\tx"
r"""Two bytes in place of each special token. What stands before it sees a tab, which is like the end of the text: only
white space looks further than itself, and all it asks is whether more white space follows. What stands after it sees
a letter, and is made to start a piece, which is like the beginning of the text.
"""

PADDING = bytes(16)
"""Zeros after a block, so that looking a few bytes ahead needs no check for its end."""

APOSTROPHE = ord("'")
LONG_S = (0xC5, 0xBF)
"""The bytes of U+017F, which equals s where case does not count."""

_IS_S_T_M_D = np.bincount(list(b"stmd"), minlength=256).astype(bool)
"""For each byte, whether it is a contraction after an apostrophe."""


def is_vectorized(pattern: str | None) -> bool:
    """Whether this module splits by `pattern`, a regex as `resolve_pattern` returns it."""
    return pattern in _RULES


def piece_bounds(block: bytes, pattern: str, stand_ins: np.ndarray | None = None) -> np.ndarray:
    """Where the pieces of a text start and end.

    Args:
        block: the text as valid UTF-8.
        pattern: the regex of "gpt2" or "gpt4".
        stand_ins: ascending offsets of `STAND_IN` where it stands for a special token. Each is a piece of its own, and
            the text between two of them is split as if it stood alone.

    Returns:
        ascending byte offsets (int64): where each piece starts, and the end of the text; of an empty one just the end.

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
    if stand_ins is not None and len(stand_ins):
        starts[stand_ins] = YES
        starts[stand_ins + 1] = NO
        starts[stand_ins + len(STAND_IN)] = YES
    # Of truth values, not numbers: several times faster.
    return np.flatnonzero(starts.view(bool))


# --- classes of characters --------------------------------------------------------------------------------------------


def _character_classes(block: bytes) -> tuple[np.ndarray, np.ndarray | slice]:
    """The class of each character, and at which bytes characters begin (bool; all of them, as a slice, in ASCII)."""
    classes = np.frombuffer(bytearray(block.translate(_class_of_byte())), np.uint8)
    if block.isascii():
        return classes, slice(None)
    beginnings = np.flatnonzero(classes == BEGINNING)
    classes[beginnings] = _CLASS_OF.code_points(_code_points(block, beginnings))
    is_first_byte = classes != CONTINUATION
    return classes[is_first_byte], is_first_byte


def _code_points(block: bytes, offsets: np.ndarray) -> np.ndarray:
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
    return np.where(first < 0xE0, two, np.where(first < 0xF0, three, four))


class _Classes:
    """The class of every code point, asked from the Rust engine a page at a time, when one of a page is first met."""

    POINTS, PAGE = 0x110000, 0x1000

    def __init__(self) -> None:
        self._table = np.full(self.POINTS, OTHER, np.uint8)
        self._is_known = np.zeros(self.POINTS // self.PAGE, bool)
        # Each class is written as one character that belongs to it, so no rule undoes what an earlier one wrote.
        rules = [(r"\s", "\t"), (r"\p{N}", "1"), (r"\p{L}", "a"), (r"[^\t1a]", ".")]
        self._engine = normalizers.Sequence([normalizers.Replace(Regex(regex), to) for regex, to in rules])
        self._answers = bytes.maketrans(b"\t1a.", bytes([WHITE, NUMBER, LETTER, OTHER]))

    def code_points(self, code_points: np.ndarray) -> np.ndarray:
        """The classes (uint8) of an array of code points."""
        pages = code_points // self.PAGE
        if not self._is_known[pages].all():
            is_needed = np.bincount(pages, minlength=len(self._is_known)) > 0
            for page in np.flatnonzero(is_needed & ~self._is_known).tolist():
                self._ask(page)
        return self._table[code_points]

    def _ask(self, page: int) -> None:
        points = range(page * self.PAGE, (page + 1) * self.PAGE)
        # Surrogates are no characters and never occur in UTF-8; a full stop keeps their places.
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
    """A table for `bytes.translate`: the class of each ASCII character, and what each byte above is."""
    ascii_classes = _CLASS_OF.code_points(np.arange(0x80)).tobytes()
    return ascii_classes + bytes([CONTINUATION] * 0x40 + [BEGINNING] * 0x40)


# --- rules ------------------------------------------------------------------------------------------------------------


def _is_white(character_class: int) -> bool:
    return character_class in (SPACE, WHITE, NEWLINE)


def _gpt2_rule(before: int, here: int, after: int) -> int:
    r"""Where pieces start under 's|'t|… | ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

    Letters, numbers and others come in runs, each with the one space before it. White space comes in runs too, but its
    last character before anything else is left over by \s+(?!\S), and starts a piece.
    """
    if _is_white(here):
        return YES if not _is_white(before) or not _is_white(after) else NO
    return YES if before not in (here, SPACE) else NO


def _gpt4_rule(before: int, here: int, after: int) -> int:
    r"""Where pieces start under (?i:'s|…)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|…

    Unlike gpt2: letters take any one character before them that is no newline and no number, numbers take none and are
    cut after three, others take the newlines after them, and a run of white space is cut after its last newline.
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
    """A rule's answers to the 216 cases, as a table for `bytes.translate`."""
    classes = range(6)
    answers = [rule(before, here, after) for before in classes for here in classes for after in classes]
    return bytes(answers).ljust(256, b"\0")


def _settle_nothing(answers: np.ndarray, around: np.ndarray) -> None:
    """Under gpt2 three classes say it all."""


def _settle_gpt4(answers: np.ndarray, around: np.ndarray) -> None:
    """Replace every ASK in `answers` by YES or NO. `around[k + 1]` is the class of character k."""
    asked = np.flatnonzero(answers == ASK)
    if not len(asked):
        return
    classes = around[asked + 1]

    # A letter after one other character takes it as its first. It cannot when that one belongs to the piece before:
    # when it is not the only one in its run, or when a space stands before it.
    letters = asked[classes == LETTER]
    two_before = around[letters - 1]
    answers[letters] = np.where((two_before == OTHER) | (two_before == SPACE), YES, NO)

    # Every digit of a number but its first was asked about: the k-th of these, from 1, starts a piece when k % 3 == 0.
    digits = asked[classes == NUMBER]
    answers[digits] = np.where((digits - run_begins(digits) + 1) % 3 == 0, YES, NO)

    # What is left is white space after a newline and before more white space. It starts a piece when the newlines
    # before it went with the punctuation before them, or when no newline follows in the same white space.
    white = asked[(classes != LETTER) & (classes != NUMBER)]
    if len(white):
        kinds = around[1:-1]
        newlines = np.flatnonzero(kinds == NEWLINE)
        before = np.searchsorted(newlines, white) - 1
        after_punctuation = around[run_begins(newlines)[before]] == OTHER
        # Whether anything else than white space stands between a newline and the next. After the last, none follows.
        words_follow = np.maximum.reduceat(kinds, newlines) >= LETTER
        words_follow[-1] = True
        answers[white] = np.where(after_punctuation | words_follow[before], YES, NO)


def run_begins(positions: np.ndarray) -> np.ndarray:
    """For each of some ascending positions, the first of the unbroken run that it belongs to.

    >>> run_begins(np.array([3, 4, 5, 9, 12, 13])).tolist()
    [3, 3, 3, 9, 12, 12]
    """
    begins = positions.copy()
    begins[1:][np.diff(positions) == 1] = 0
    return np.maximum.accumulate(begins)


def _split_contractions(starts: np.ndarray, block: bytes, *, ignore_case: bool) -> None:
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
        # The bit of 32 makes a capital letter small, and makes no s, t, m, d, r, e, v or l of anything else.
        first, second = first | 0x20, second | 0x20
    lengths[_IS_S_T_M_D[first]] = 1
    for pair in (b"re", b"ve", b"ll"):
        lengths[(first == pair[0]) & (second == pair[1])] = 2
    found, lengths = apostrophes[lengths > 0], lengths[lengths > 0]
    starts[found + 1] = NO
    starts[found + 1 + lengths] = YES


_RULES = {
    PATTERNS["gpt2"]: (_table(_gpt2_rule), _settle_nothing),
    PATTERNS["gpt4"]: (_table(_gpt4_rule), _settle_gpt4),
}


# --- safe cuts --------------------------------------------------------------------------------------------------------


def safe_cuts(window: bytes) -> np.ndarray:
    r"""Offsets at which a text can be cut in two without changing its pieces, under gpt2 and under gpt4.

    They are the places right after a letter or a number, where a character of another class follows. Why that is safe:

    1. A piece ends there. In no alternative of either pattern does a letter or number come before a character of
       another class: letters and numbers are the last thing that an alternative matches.
    2. What follows is split the same without what came before, since neither pattern looks back.
    3. What came before is split the same without what follows. A run of letters or numbers ends there either way, a
       contraction is as complete or incomplete as before, and the one look ahead, \s+(?!\S), looks at a character
       after white space, while here the last one is a letter or a number.

    Args:
        window: part of a text in UTF-8, which may begin and end within a character.

    Returns:
        ascending offsets (int64) into `window`, none of them 0 or its length.

    >>> safe_cuts(b"It's 20 degrees.").tolist()
    [2, 4, 7, 15]
    """
    begin = 0
    while begin < len(window) and 0x80 <= window[begin] < 0xC0:
        begin += 1
    end = len(window)
    # A character that is cut off has its first byte among the last three.
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
    return begin + np.arange(len(text))[is_first_byte][characters]
