r"""Dividing a text before it is split into pieces: at special tokens, and at cuts that change no token ID.

    documents    It's<|end|>  's                 two of them, joined
    part         It's        |  |'s|             where each begins and ends, in bytes
    ID after it       <|end|>    separator

Streams and corpora are cut so that their parts can be encoded independently:

    named patterns     at the end of a word: `cuts_after_words`
    no pattern         between two bytes that are adjacent in no token: `cuts_between_tokens`
    other patterns     no cuts are known
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

    def bounds(self, text: bytes, pattern: Pattern | None) -> NDArray[np.int64]:
        """Find the offsets at which pieces end with the Rust library; without a pattern, each part is a piece."""
        if pattern is None:
            return self.ends
        bounds = [np.zeros(0, np.int64)]
        for begin, end in zip(self.begins.tolist(), self.ends.tolist()):
            pieces = split_by_pattern(text[begin:end].decode(), pattern)
            bounds.append(begin + np.cumsum([len(piece.encode()) for piece in pieces], dtype=np.int64))
        return np.concatenate(bounds)


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
        self._id_of = {token.encode(): token_id for token, token_id in special_to_id.items()}
        # A regex takes the first alternative that matches.
        longest_first = sorted(self._id_of, key=len, reverse=True)
        self._finder = re.compile(b"|".join(map(re.escape, longest_first))) if longest_first else None
        self._separator_id, self._separator, self._normalization = separator_id, separator, normalization

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
        if self._finder is None or not self._finder.search(text):
            return Parts(begins, ends, ids)
        parts = []
        for begin, end, after in zip(begins.tolist(), ends.tolist(), ids.tolist()):
            for match in self._finder.finditer(text, begin, end):
                parts.append((begin, match.start(), self._id_of[match[0]]))
                begin = match.end()
            parts.append((begin, end, after))
        return Parts(*np.array(parts, np.int64).reshape(-1, 3).T.copy())


# --- cuts -------------------------------------------------------------------------------------------------------------

Cuts = Callable[[bytes], NDArray[np.int64]]
"""A function that finds safe cuts in a part of a text: ascending offsets, none of them 0 or its length.

The part is in UTF-8, and may begin and end within a character.
"""


def cuts_under(pattern: Pattern | None, tokens: Iterable[bytes] | None = None) -> Cuts | None:
    """Return the function that finds cuts under a pattern; None if no cuts are known under it.

    Without a pattern, `tokens` are the bytes of all learned tokens. None stands for a tokenizer that looks at the whole
    text: one with a normalization, or with tokens that no merge makes.
    """
    if pattern is None and tokens is not None:
        adjacency = byte_adjacency(tokens)
        return lambda window: cuts_between_tokens(window, adjacency)
    return cuts_after_words if pattern in PATTERNS.values() else None


_CUT = re.compile(
    # An ASCII word, before another ASCII character. Under o200k, an apostrophe may belong to the word.
    rb"(?<=[0-9A-Za-z])(?=[\x00-&(-/:-@\[-`{-\x7f])"
    # A character that is certainly not white space, before a space.
    rb"|(?:(?<=[!-\x7f])|(?<=[\xc3-\xdf].)|(?<=[\xe0\xe4-\xef]..)|(?<=[\xf0-\xf4]...))(?= )"
    # A frequent Chinese character, before an ideographic comma or full stop, which separate words in any case.
    rb"|(?<=[\xe5-\xe8]..)(?=\xe3\x80[\x81\x82])"
)


def cuts_after_words(window: bytes) -> NDArray[np.int64]:
    r"""Find cuts that change no piece of a text under a named pattern; see `Cuts`.

    1. A piece ends there. Under every pattern, letters or numbers end before another kind of character, and other
       characters before a space.
    2. The text after the cut is split the same without the text before it, since no pattern looks behind.
    3. The text before the cut is split the same without the text after it. The only look-ahead, \s+(?!\S), applies
       after white space, while the last character here is none.
    4. Normalization combines neither side of the cut with the other.

    >>> cuts_after_words(b"It's 20 degrees.").tolist()
    [4, 7, 15]
    """
    # A character that begins before the window may end up to three bytes inside it.
    return np.array([match.start() for match in _CUT.finditer(window, min(3, len(window)))], np.int64)


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
        size = 0
        while size < len(window):
            # Nearly always, the first few bytes from the end contain a cut.
            size = min(len(window), max(256, 16 * size))
            cuts = self.cuts(window[-size:])
            if len(cuts):
                return len(window) - size + int(cuts[-1])
        return 0
