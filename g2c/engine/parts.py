"""Dividing a text before it is split into pieces: at special tokens, where a document ends, and at safe cuts.

documents    It's<|end|>  's                 two of them, joined
part         It's        |  |'s|             where each begins and ends, in bytes
ID after it       <|end|>    separator
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.tokenizer.patterns import Pattern, last_safe_cut, normalized, split_by_pattern

NO_TOKEN = -1  # In place of a special token's ID, at the boundary between two texts.
TAIL = 1024  # In how many bytes at the end of a text a safe cut is searched.


def cut_text(
    blocks: Iterable[bytes], size: int, pattern: Pattern | None, special_tokens: Sequence[str]
) -> Iterator[bytes]:
    """Join the blocks of a text, and yield it in parts of about `size` bytes or more, cut where that changes no ID."""
    held, length, enough = list[bytes](), 0, size
    for block in blocks:
        held.append(block)
        length += len(block)
        if length >= enough:
            text = b"".join(held)
            tail = max(0, length - TAIL)
            if cut := last_safe_cut(text[tail:], pattern, special_tokens):
                yield text[: tail + cut]
                text = text[tail + cut :]
            held, length, enough = [text], len(text), len(text) + size
    if length:
        yield b"".join(held)


class Parts(NamedTuple):
    """The ordinary text between special tokens and ends of documents: the byte offsets at which each part begins and
    ends, ascending, and the ID after it, or `NO_TOKEN`."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    ids: NDArray[np.int64]

    @classmethod
    def whole(cls, text: bytes) -> "Parts":
        """Return the only part of a document without special tokens."""
        return cls(*np.array([[0], [len(text)], [NO_TOKEN]], np.int64))

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
    """Finds special tokens in documents, and adds an ID after each document: a separator's, or `NO_TOKEN`.

    `separator` is the text between documents. Ordinary text is brought into the Unicode form `normalization`.
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
        return self.prepared(b"".join(documents), list(accumulate(map(len, documents))))

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
        begins = [0, *(end + len(self._separator) for end in ends_of_documents)]
        ends, ids = [*ends_of_documents, len(text)], [self._separator_id] * len(ends_of_documents) + [NO_TOKEN]
        if begins[-1] == len(text):
            begins, ends, ids = begins[:-1], ends[:-1], ids[:-1]
        if self._finder is not None and self._finder.search(text):
            parts = []
            for begin, end, after in zip(begins, ends, ids):
                for match in self._finder.finditer(text, begin, end):
                    parts.append((begin, match.start(), self._id_of[match[0]]))
                    begin = match.end()
                parts.append((begin, end, after))
            begins, ends, ids = map(list, zip(*parts))
        return Parts(*np.array([begins, ends, ids], np.int64))
