r"""Where a text can be cut in two without changing its IDs.

    gpt2, gpt4     after a letter or number, before a character of another class: `safe_cuts`
    no pattern     between two bytes that are adjacent in no token: `cuts_between_tokens`
    other ones     nowhere that is known

Streams and corpora are cut at these places, so that their parts can be encoded independently. `Cutter` leaves out those
inside of special tokens.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Int64, UInt8, entry
from g2c.engine.splitting import GIVEN, LETTER, NUMBER, OTHER, character, classes_for, padded, way_of

Cuts = Callable[[bytes], NDArray[np.int64]]
"""A function that gives ascending offsets into a part of a text, none of them 0 or its length.

The part is in UTF-8, and may begin and end within a character.
"""


def cuts_under(pattern: str | None, tokens: Iterable[bytes]) -> Cuts | None:
    """The function that finds cuts under a pattern; None if no cuts are known under it.

    Args:
        pattern: a regex as `resolve_pattern` returns it, or None.
        tokens: the bytes of all learned tokens; needed only without a pattern.
    """
    if pattern is None:
        adjacency = byte_adjacency(tokens)
        return lambda window: cuts_between_tokens(window, adjacency)
    return None if way_of(pattern) == GIVEN else safe_cuts


# --- with a pattern ---------------------------------------------------------------------------------------------------

_NOT_A_FIRST_BYTE = bytes(range(0x80, 0xC0))
"""The bytes of a character in UTF-8 behind its first."""


@entry
def _find_cuts(text: UInt8, end: int, classes: UInt8, cuts: Int64) -> int:
    p, count, before = 0, 0, OTHER
    while p < end:
        kind, after = character(text, p, classes)
        if after > end:
            # The rest of the last character is not there.
            break
        if kind != before and (before == LETTER or before == NUMBER):
            cuts[count] = p
            count += 1
        before = kind
        p = after
    return count


def safe_cuts(window: bytes) -> NDArray[np.int64]:
    r"""Where the pieces of a text do not change, under gpt2 and under gpt4; see `Cuts`.

    A cut is safe right after a letter or a number that is followed by a character of another class:

    1. A piece ends there. No alternative of either pattern matches a letter or number followed by a character of
       another class: letters and numbers are the last thing that an alternative matches.
    2. The text after the cut is split the same without the text before it, since neither pattern looks behind.
    3. The text before the cut is split the same without the text after it. A run of letters or numbers ends there
       either way, a contraction is as complete or incomplete as before, and the only look-ahead, \s+(?!\S), applies
       after white space, while the last character here is a letter or a number.

    >>> safe_cuts(b"It's 20 degrees.").tolist()
    [2, 4, 7, 15]
    """
    whole = window.lstrip(_NOT_A_FIRST_BYTE)
    cuts, data = np.empty(len(whole), np.int64), padded(whole)
    return cuts[: _find_cuts(data, len(whole), classes_for(data), cuts)] + len(window) - len(whole)


# --- without a pattern ------------------------------------------------------------------------------------------------


def byte_adjacency(tokens: Iterable[bytes]) -> NDArray[np.bool_]:
    """Which bytes are adjacent inside at least one of the tokens.

    Returns:
        (256, 256) bool: entry [a, b] is True if some token contains byte a directly followed by byte b.

    >>> np.argwhere(byte_adjacency([b"the", b"th", b"x"])).tolist()
    [[104, 101], [116, 104]]
    """
    tokens = list(tokens)
    data = np.frombuffer(b"".join(tokens), np.uint8)
    has_successor = np.ones(len(data), bool)
    if len(data):
        has_successor[np.cumsum([len(token) for token in tokens]) - 1] = False
    left = np.flatnonzero(has_successor)
    adjacency = np.zeros((256, 256), bool)
    adjacency[data[left], data[left + 1]] = True
    return adjacency


def cuts_between_tokens(window: bytes, adjacency: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where the IDs of a text without a pattern do not change; see `Cuts`.

    If no token contains byte a directly followed by byte b, no merge ever joins what is left of a place between a and b
    with what is right of it: the token would contain the two bytes side by side. So the text can be cut there. English
    text has such a place every ten to a hundred bytes, even with thousands of merges.

    Args:
        adjacency: of all learned tokens, from `byte_adjacency`.

    Returns:
        the offsets. All are at the beginning of a character.

    >>> cuts_between_tokens("thé the".encode(), byte_adjacency([b"th", b"he"])).tolist()
    [2, 4, 5]
    """
    data = np.frombuffer(window, np.uint8)
    right = data[1:]
    begins_character = (right & 0b1100_0000) != 0b1000_0000
    is_adjacent = adjacency.reshape(-1).take(data[:-1].astype(np.uint16) << 8 | right)
    return np.flatnonzero(begins_character & ~is_adjacent) + 1


# --- in a text that may have special tokens ---------------------------------------------------------------------------

_LIKELY = 4 << 10
"""Bytes at the end of a text that nearly always have a cut among them: natural text has one every few words."""


class Cutter:
    """Where a text can be cut without changing its token IDs.

    - As the pattern allows: by the two functions above.
    - Never inside a special token, if special tokens are recognized. Outside of them it is safe: both sides of the cut
      contain the same special tokens as before, and the text between two special tokens is encoded separately.
    """

    def __init__(self, cuts: Cuts | None, special_tokens: Iterable[str] = ()) -> None:
        """
        Args:
            cuts: from `cuts_under`.
            special_tokens: those that are recognized in the text.
        """
        self._cuts = cuts
        self._special_tokens = [token.encode() for token in special_tokens]
        self._margin = max(map(len, self._special_tokens), default=1) - 1
        self.finds_cuts = cuts is not None

    def cuts(self, window: bytes) -> NDArray[np.int64]:
        """Ascending offsets of safe cuts in a part of a text. Near its ends some may be missing.

        Args:
            window: valid UTF-8, except that a character may be truncated at either end.
        """
        cuts = self._cuts(window) if self._cuts else np.zeros(0, np.int64)
        is_inside = np.zeros(len(window) + 1, bool)
        for token in self._special_tokens:
            begin = window.find(token)
            while begin >= 0:
                is_inside[begin + 1 : begin + len(token)] = True
                begin = window.find(token, begin + 1)
        # At the ends of the window a special token may be truncated.
        is_inside[: self._margin] = is_inside[len(window) + 1 - self._margin :] = True
        return cuts[~is_inside[cuts]]

    def last_cut(self, window: bytes) -> int:
        """The last of the safe cuts in a part of a text that `cuts` finds; 0 if there is none."""
        for begin in (max(0, len(window) - _LIKELY), 0):
            cuts = self.cuts(window[begin:])
            if len(cuts):
                return begin + int(cuts[-1])
        return 0
