r"""Dividing a text before it is split into pieces: at special tokens, and at cuts that change no token ID.

    documents    It's<|end|>  's                 two of them, joined
    part         It's        |  |'s|             where each begins and ends, in bytes
    ID after it       <|end|>    separator

Streams and corpora are cut so that their parts can be encoded independently:

    named patterns     after a letter or number, before a character of another class: `safe_cuts`
    no pattern         between two bytes that are adjacent in no token: `cuts_between_tokens`
    other patterns     no cuts are known
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Int64, UInt8, between, entry, lowest_bit
from g2c.engine.splitting import DIGIT, GPT2, GPT4, LETTER, OTHER, QWEN, WIDTH, character, classes_for, padded, way_of
from g2c.tokenizer.patterns import PATTERNS, Pattern, normalized, split_by_pattern

NO_TOKEN = -1  # In place of a special token's ID, at the boundary between two texts.
TEXT_END = -2  # The same, but the IDs get a `MARK` there.
MARK = 2**32 - 2  # Marks the end of a text among IDs, which are below 2**31.


class Parts(NamedTuple):
    """The ordinary text between special tokens and ends of documents, as three arrays.

    begins, ends: the byte offsets of each part, ascending. ids: the ID after each part, `NO_TOKEN` or `TEXT_END`.
    """

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    ids: NDArray[np.int64]

    @classmethod
    def whole(cls, text: bytes) -> "Parts":
        """Return the only part of a document without special tokens."""
        return cls(*(np.array([value], np.int64) for value in (0, len(text), NO_TOKEN)))

    def bounds(self, text: bytes, pattern: Pattern) -> NDArray[np.int64]:
        """Find the offsets at which pieces end with the Rust library, for patterns without a loop here."""
        bounds = [np.zeros(0, np.int64)]
        for begin, end in zip(self.begins.tolist(), self.ends.tolist()):
            pieces = split_by_pattern(text[begin:end].decode(), pattern)
            bounds.append(begin + np.cumsum([len(piece.encode()) for piece in pieces], dtype=np.int64))
        return np.concatenate(bounds)


@entry
def _find_special(
    text: UInt8, begins: Int64, ends: Int64, ids: Int64, position: Int64, low: int, high: int,
    tokens: UInt8, token_ends: Int64, token_ids: Int64, first: Int64, found: Int64,
) -> int:  # fmt: skip
    """Write begin, end and ID of each part into the three rows of `found`, until they are full; return how many parts.

    Special tokens begin with a byte from `low` to `high`; those with byte b are first[b]:first[b + 1], the longest
    first. `position` is the index of the document, the offset at which to continue, and the begin of the present part.
    """
    document, p, begin = position[0], position[1], position[2]
    count, room = 0, len(found) // 3
    while document < len(ends) and count + 1 < room:
        end = ends[document]
        while p < end and count + 1 < room:
            candidates = between(text, p, low, high)
            if candidates == 0:
                p += WIDTH
                continue
            p += lowest_bit(candidates)
            if p >= end:
                break
            stop = p
            for k in range(first[text[p]], first[text[p] + 1]):
                at, size, i = token_ends[k], token_ends[k + 1] - token_ends[k], 0
                while i < min(size, end - p) and text[p + i] == tokens[at + i]:
                    i += 1
                if i == size:
                    found[count], found[room + count], found[2 * room + count] = begin, p, token_ids[k]
                    count += 1
                    stop = begin = p + size
                    break
            p = max(stop, p + 1)
        if p >= end:
            found[count], found[room + count], found[2 * room + count] = begin, end, ids[document]
            count += 1
            document += 1
            if document < len(ends):
                p = begin = begins[document] + 0
    position[0], position[1], position[2] = document, p, begin
    return count


class SpecialTokens:
    """Finds special tokens in documents, and adds the ID of a separator after each document.

    This ID may be `NO_TOKEN` or `TEXT_END`; `separator` is the text between documents. The text between special tokens
    is brought into the Unicode form `normalization`.
    """

    def __init__(
        self,
        special_to_id: Mapping[str, int],
        separator_id: int = NO_TOKEN,
        separator: bytes = b"",
        normalization: str | None = None,
    ) -> None:
        self._normalization = normalization
        id_of = {token.encode(): token_id for token, token_id in special_to_id.items()}
        tokens = sorted(id_of, key=lambda token: (token[0], -len(token)))
        first = [token[0] for token in tokens]
        self._tokens = first and (
            first[0],
            first[-1],
            padded(b"".join(tokens)),
            np.cumsum([0, *map(len, tokens)], dtype=np.int64),
            np.array([id_of[token] for token in tokens], np.int64),
            np.searchsorted(first, range(257)),
        )
        self._separator_id, self._separator = separator_id, separator

    def joined(self, texts: Sequence[str]) -> tuple[bytes, Parts]:
        """Join documents as UTF-8, without a separator; return the text and its parts."""
        documents = [text.encode() for text in texts]
        data = b"".join(documents)
        return self.prepared(data, list(accumulate(map(len, documents))))

    def prepared(self, text: bytes, ends_of_documents: Sequence[int]) -> tuple[bytes, Parts]:
        """Return the normalized text of documents and its parts; the arguments are as for `parts`."""
        parts = self.parts(text, ends_of_documents)
        if self._normalization is None or text.isascii():
            return text, parts
        pieces = [
            normalized(text[begin:end].decode(), self._normalization).encode()
            for begin, end in zip(parts.begins.tolist(), parts.ends.tolist())
        ]
        ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        return b"".join(pieces), Parts(np.append(0, ends[:-1]), ends, parts.ids)

    def parts(self, text: bytes, ends_of_documents: Sequence[int]) -> Parts:
        """Find the ordinary text of documents, between their special tokens and ends.

        In the text, the separator follows each document, and `ends_of_documents` are the offsets before it. Text after
        the last one belongs to a document that does not end here.

        >>> begins, ends, ids = SpecialTokens({"<|end|>": 256}, 257).parts(b"It's<|end|>  's", [13, 15])
        >>> begins.tolist(), ends.tolist(), ids.tolist()
        ([0, 11, 13], [4, 13, 15], [256, 257, 257])
        """
        ends = np.array(ends_of_documents, np.int64)
        begins = np.append(0, ends + len(self._separator))
        ids = np.full(len(ends), self._separator_id, np.int64)
        if begins[-1] == len(text):
            begins = begins[:-1]
        else:
            ends, ids = np.append(ends, len(text)), np.append(ids, NO_TOKEN)
        if not self._tokens or not len(ends):
            return Parts(begins, ends, ids)
        data, position, parts = padded(text), np.array([0, begins[0], begins[0]], np.int64), []
        while position[0] < len(ends):
            found = np.empty((3, len(ends) + min(len(text) // 8, 1 << 14) + 100), np.int64)
            count = _find_special(data, begins, ends, ids, position, *self._tokens, found.reshape(-1))
            parts.append(found[:, :count])
        return Parts(*np.concatenate(parts, axis=1))


# --- cuts -------------------------------------------------------------------------------------------------------------

Cuts = Callable[[bytes], NDArray[np.int64]]
"""A function that finds safe cuts in a part of a text: ascending offsets, none of them 0 or its length.

The part is in UTF-8, and may begin and end within a character.
"""


def cuts_under(pattern: Pattern | None, tokens: Iterable[bytes], normalization: str | None = None) -> Cuts | None:
    """Return the function that finds cuts under a pattern; None if no cuts are known under it.

    `tokens`, the bytes of all learned tokens, are needed only without a pattern. A text that will be normalized is cut
    only between an ASCII letter or digit and a space, because normalization neither changes these nor combines them
    with their neighbors.
    """
    if pattern is not None and pattern not in PATTERNS.values():
        return None
    if normalization is not None:
        return None if pattern is None else cuts_at_spaces
    if pattern is None:
        adjacency = byte_adjacency(tokens)
        return lambda window: cuts_between_tokens(window, adjacency)
    return safe_cuts if way_of(pattern) in (GPT2, GPT4, QWEN) else cuts_after_words


_BEFORE_SPACE = re.compile(rb"[0-9A-Za-z](?= )")


def cuts_at_spaces(window: bytes) -> NDArray[np.int64]:
    """Find the cuts between an ASCII letter or digit and a space; see `Cuts`."""
    return np.array([match.end() for match in _BEFORE_SPACE.finditer(window)], np.int64)


def cuts_after_words(window: bytes) -> NDArray[np.int64]:
    """Find the cuts among those of `safe_cuts` that change no piece under o200k or deepseek; see `Cuts`.

    Words may contain combining marks under both, contractions under o200k, and Japanese punctuation under deepseek.
    """
    cuts = safe_cuts(window)
    text = np.frombuffer(window, np.uint8)
    following = text[cuts]
    # Certainly not marks are ASCII characters, and U+3000 to U+3002, which are frequent in Chinese text.
    second, third = (text[np.minimum(cuts + more, len(text) - 1)] for more in (1, 2))
    is_safe = (following < 0x80) & (following != 0x27) | (following == 0xE3) & (second == 0x80) & (third <= 0x82)
    return np.compress(is_safe, cuts)


@entry
def _find_cuts(text: UInt8, end: int, classes: UInt8, cuts: Int64) -> int:
    """Write the safe cuts of text[:end] into `cuts`; return their number."""
    p, count, before = 0, 0, OTHER
    while p < end:
        kind, after = character(text, p, classes)
        if after > end:
            # The last character is truncated.
            break
        if kind != before and (before == LETTER or before == DIGIT):
            cuts[count] = p
            count += 1
        before = kind
        p = after
    return count


def safe_cuts(window: bytes) -> NDArray[np.int64]:
    r"""Find the cuts that change no piece of a text under gpt2, gpt4 or qwen; see `Cuts`.

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
    # Leave out the rest of a character that begins before the window.
    whole = window.lstrip(bytes(range(0x80, 0xC0)))
    cuts, data = np.empty(len(whole), np.int64), padded(whole)
    return cuts[: _find_cuts(data, len(whole), classes_for(data), cuts)] + len(window) - len(whole)


def byte_adjacency(tokens: Iterable[bytes]) -> NDArray[np.bool_]:
    """Find the bytes that are adjacent inside some token: entry [a, b] is True if byte b directly follows byte a."""
    adjacency = np.zeros((256, 256), bool)
    for left, right in {pair for token in tokens for pair in pairwise(token)}:
        adjacency[left, right] = True
    return adjacency


def cuts_between_tokens(window: bytes, adjacency: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find the cuts that change no ID of a text without a pattern; see `Cuts`.

    If no token contains byte a directly followed by byte b, no merge ever joins the two sides of a place between a and
    b, because its token would contain the two bytes side by side. So the text can be cut there. English text has such a
    place every ten to a hundred bytes, even with thousands of merges. All cuts are at the beginning of a character.

    >>> cuts_between_tokens("thé the".encode(), byte_adjacency([b"th", b"he"])).tolist()
    [2, 4, 5]
    """
    data = np.frombuffer(window, np.uint8)
    right = data[1:]
    begins_character = (right & 0b1100_0000) != 0b1000_0000
    is_adjacent = adjacency.reshape(-1).take(data[:-1].astype(np.uint16) << 8 | right)
    return np.flatnonzero(begins_character & ~is_adjacent) + 1


_LIKELY = 4 << 10  # So many bytes at the end of a text nearly always contain a cut.


class Cutter:
    """Finds the cuts of `cuts_under` that are outside of special tokens, which change no token ID.

    Such a cut separates no special token, and the text between two special tokens is encoded by itself anyway.
    """

    def __init__(self, cuts: Cuts | None, special_tokens: Iterable[str] = ()) -> None:
        self._cuts = cuts
        self._special_tokens = [token.encode() for token in special_tokens]
        self.finds_cuts = cuts is not None

    def cuts(self, window: bytes) -> NDArray[np.int64]:
        """Return the safe cuts in a part of a text, as for `Cuts`. Some near its ends may be missing."""
        cuts = self._cuts(window) if self._cuts else np.zeros(0, np.int64)
        is_inside = np.zeros(len(window) + 1, bool)
        for token in self._special_tokens:
            begin = window.find(token)
            while begin >= 0:
                is_inside[begin + 1 : begin + len(token)] = True
                begin = window.find(token, begin + 1)
        # A special token may be truncated at the ends of the window.
        margin = max(map(len, self._special_tokens), default=1) - 1
        is_inside[:margin] = is_inside[len(window) + 1 - margin :] = True
        return cuts[~is_inside[cuts]]

    def last_cut(self, window: bytes) -> int:
        """Return the last safe cut in a part of a text that `cuts` finds; 0 if there is none."""
        for begin in (max(0, len(window) - _LIKELY), 0):
            cuts = self.cuts(window[begin:])
            if len(cuts):
                return begin + int(cuts[-1])
        return 0
