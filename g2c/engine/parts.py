"""The ordinary text between special tokens and ends of documents.

documents    It's<|end|>  's                 two of them, joined
part         It's        |  |'s|             where each begins and ends, in bytes
ID after it       <|end|>    separator
"""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.tokenizer.patterns import split_by_pattern
from g2c.tokenizer.special_tokens import special_token_finder

NO_TOKEN = -1
"""In place of a special token's ID: the boundary between two texts, with no token there."""

TEXT_END = -2
"""The same, but the IDs then have a `MARK` there."""

MARK = 2**32 - 2
"""`TEXT_END` among IDs, which are below 2**31."""


class Parts(NamedTuple):
    """Parts of a text, in three arrays.

    begins, ends: byte offsets of each part, ascending. ids: the ID that follows it, `NO_TOKEN` or `TEXT_END`.
    """

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    ids: NDArray[np.int64]

    @classmethod
    def whole(cls, text: bytes) -> "Parts":
        """The text is one document without special tokens."""
        return cls(*(np.array([value], np.int64) for value in (0, len(text), NO_TOKEN)))

    def bounds(self, text: bytes, pattern: str) -> NDArray[np.int64]:
        """The offsets at which the Rust library ends the pieces of all parts: for a pattern of one's own."""
        bounds = [np.zeros(0, np.int64)]
        for begin, end in zip(self.begins.tolist(), self.ends.tolist()):
            pieces = split_by_pattern(text[begin:end].decode(), pattern)
            bounds.append(begin + np.cumsum([len(piece.encode()) for piece in pieces], dtype=np.int64))
        return np.concatenate(bounds)


class SpecialTokens:
    """Finds special tokens in documents, and adds a separator between these."""

    def __init__(self, special_to_id: Mapping[str, int], separator_id: int = NO_TOKEN, separator: bytes = b"") -> None:
        """
        Args:
            special_to_id: the special tokens to find; if empty, all text is ordinary.
            separator_id: the ID to add after each document; or `NO_TOKEN` or `TEXT_END`.
            separator: what follows each document in the text.
        """
        self._id_of = {token.encode(): token_id for token, token_id in special_to_id.items()}
        self._any = re.compile(special_token_finder(tuple(special_to_id)).pattern.encode()) if special_to_id else None
        self._separator_id, self._separator = separator_id, separator

    def joined(self, texts: Sequence[str]) -> tuple[bytes, Parts]:
        """Documents joined without a separator, in UTF-8; and their parts."""
        documents = [text.encode() for text in texts]
        data = b"".join(documents)
        return data, self.parts(data, list(accumulate(map(len, documents))))

    def parts(self, text: bytes, ends_of_documents: Sequence[int]) -> Parts:
        """The ordinary text of documents, between their special tokens and ends.

        Args:
            text: the documents, in UTF-8, with the separator after each.
            ends_of_documents: where each ends, before its separator. Text after the last one is the beginning of a
                document that does not end here, so that no separator follows it.

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
        if self._any is None:
            return Parts(begins, ends, ids)
        parts: list[tuple[int, int, int]] = []
        for begin, end, token_id in zip(begins.tolist(), ends.tolist(), ids.tolist()):
            for match in self._any.finditer(text, begin, end):
                parts.append((begin, match.start(), self._id_of[match[0]]))
                begin = match.end()
            parts.append((begin, end, token_id))
        return Parts(*np.array(parts, np.int64).reshape(-1, 3).T.copy())
