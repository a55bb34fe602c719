"""Cutting a corpus into shards, which are processed independently, in any order, by any number of threads.

    corpus     document | document | doc……………ument | document | document …
    shards     ----- 0 -----|------ 1 ------|----- 2 -----|--- 3 ---            a few megabytes each

A shard ends at the end of a document, or inside one at an offset where a cut changes no token: `Cutter` finds these.
The offsets depend only on the corpus, the tokenizer and the size of the shards.
"""

import codecs
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import CorpusError
from g2c.corpus.corpora import not_utf8, unreadable
from g2c.engine.adjacency import byte_adjacency, cuts_between_tokens
from g2c.engine.encoding import NO_TOKEN, Parts
from g2c.engine.splitting import has_loops, safe_cuts, whole_characters

SHARD_BYTES = 4 << 20
"""Approximate size of the text in a shard, in bytes."""

MAX_UNCUT_BYTES = 16 << 20
"""The longest text, in bytes, without a safe cut: text that cannot be cut has to fit into memory."""

MAX_UNCUT_BYTES_OF_OTHER_PATTERNS = 64 << 20
"""The same under a pattern without known safe cuts, whose pieces are shorter: the longest document."""

_FIRST_WINDOW, _WINDOW = 2 << 10, 64 << 10
"""Bytes searched for a cut in the first and in each further step: natural text has one within the first words."""

_DECODED = 64 << 10
"""Bytes that are decoded at a time, to check that they are UTF-8."""


class Cutter:
    """Where a text can be cut without changing its token IDs.

    - Under the gpt2 and gpt4 patterns: after a letter or number, before a character of another class. The proof is in
      `g2c.engine.splitting.safe_cuts`.
    - Without a pattern: between two bytes that are adjacent in no token. The proof is in `g2c.engine.adjacency`.
    - Under any other pattern: nowhere.
    - Never inside a special token, if special tokens are recognized. Outside of them it is safe: both sides of the cut
      contain the same special tokens as before, and the text between two special tokens is encoded separately.
    """

    def __init__(self, pattern: str | None, tokens: Iterable[bytes] = (), special_tokens: Iterable[str] = ()) -> None:
        """
        Args:
            pattern: a regex as `resolve_pattern` returns it, or None.
            tokens: the bytes of all learned tokens; needed only without a pattern.
            special_tokens: those that are recognized in the text.
        """
        self._pattern = pattern
        self._special_tokens = [token.encode() for token in special_tokens]
        self._margin = max(map(len, self._special_tokens), default=1) - 1
        self.overlap = 2 * self._margin + 8
        self._adjacency = byte_adjacency(tokens if pattern is None else ())
        has_cuts = pattern is None or has_loops(pattern)
        self.max_uncut_bytes = MAX_UNCUT_BYTES if has_cuts else MAX_UNCUT_BYTES_OF_OTHER_PATTERNS

    def cuts(self, window: bytes) -> NDArray[np.int64]:
        """Ascending offsets of safe cuts in a part of a text. Near its ends some may be missing.

        Args:
            window: valid UTF-8, except that a character may be truncated at either end.
        """
        if self._pattern is None:
            cuts = cuts_between_tokens(window, self._adjacency)
        elif has_loops(self._pattern):
            cuts = safe_cuts(window)
        else:
            return np.zeros(0, np.int64)
        for token in self._special_tokens:
            begin = window.find(token)
            while begin >= 0:
                cuts = cuts[(cuts <= begin) | (cuts >= begin + len(token))]
                begin = window.find(token, begin + 1)
        # At the ends of the window a special token may be truncated.
        return cuts[(cuts >= self._margin) & (cuts <= len(window) - self._margin)]


@dataclass(frozen=True)
class Shard:
    """A part of a corpus.

    Attributes:
        read: returns the documents (UTF-8). The first may continue one of the shard before, and the last may be
            continued in the next. Raises CorpusError if they are in a file that is not UTF-8, cannot be read, or has
            become shorter.
        is_complete: whether the last document ends in this shard.
        size: bytes of text.
        location: which part of the corpus this is, for error messages.
    """

    read: Callable[[], list[bytes]]
    is_complete: bool
    size: int
    location: str

    def joined(self, documents: list[bytes], separator: bytes) -> bytes:
        """The text of the shard, with a separator after each document that ends in it.

        Args:
            documents: what `read` returned.
        """
        return separator.join(documents) + (separator if self.is_complete else b"")


def file_shards(paths: Iterable[Path], cutter: Cutter, shard_bytes: int = SHARD_BYTES) -> Iterator[Shard]:
    """The shards of text files. Each file is one document, used byte for byte.

    Raises:
        CorpusError: a file cannot be read, is not UTF-8 near a cut, or is too long without a safe cut.
    """
    for path in paths:
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                begin = 0
                while begin < size:
                    end = _next_cut(_window_reader(file, size, path), size, begin + shard_bytes, cutter, str(path))
                    read = partial(_read_part, path, begin, end)
                    yield Shard(read, end == size, end - begin, f"{path}, bytes {begin} to {end}")
                    begin = end
        except OSError as error:
            raise unreadable(path, error) from None


def _read_part(path: Path, begin: int, end: int) -> list[bytes]:
    try:
        with path.open("rb") as file:
            file.seek(begin)
            data = file.read(end - begin)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(data) < end - begin:
        raise _became_shorter(path)
    _check_utf8(data, path, begin)
    return [data]


def _check_utf8(data: bytes, path: Path, offset: int) -> None:
    """Raise CorpusError, with the offset in the file, if `data`, which begins at `offset`, is not valid UTF-8."""
    begin, view = 0, memoryview(data)
    try:
        # Piece by piece, so that the characters stay in the processor's cache: four times as fast as data.decode().
        while begin < len(data):
            end = begin + _DECODED
            begin += codecs.utf_8_decode(view[begin:end], "strict", end >= len(data))[1]
    except UnicodeDecodeError as error:
        place = begin + error.start
        raise not_utf8(path, offset + place, data[place]) from None


def _window_reader(file: BinaryIO, size: int, path: Path) -> Callable[[int, int], bytes]:
    def read_window(offset: int, length: int) -> bytes:
        file.seek(offset)
        window = file.read(length)
        if len(window) < min(length, size - offset):
            raise _became_shorter(path)
        begin, end = whole_characters(window)
        _check_utf8(window[begin:end], path, offset + begin)
        return window

    return read_window


def _became_shorter(path: Path) -> CorpusError:
    return CorpusError(f"{path} became shorter while it was being read. Start again when it is complete.")


def _next_cut(read_window: Callable[[int, int], bytes], size: int, wanted: int, cutter: Cutter, location: str) -> int:
    """The offset of the first safe cut at or after `wanted` in a text of `size` bytes; `size` if there is none.

    `read_window` takes an offset and a number of bytes, and returns that part of the text.
    """
    begin, window_size = wanted, _FIRST_WINDOW
    while begin < size:
        if begin - wanted > cutter.max_uncut_bytes:
            raise CorpusError(
                f"{location}: in {cutter.max_uncut_bytes >> 20} MB from byte {wanted} on, there is no offset at which "
                "the text can be cut, such as the end of a word under the pattern gpt2 or gpt4. Divide it into lines "
                "or documents, or leave it out."
            )
        # Windows overlap, because cuts near the ends of a window can be missing.
        window_begin = max(0, begin - cutter.overlap)
        window = read_window(window_begin, cutter.overlap + window_size)
        cuts = window_begin + cutter.cuts(window)
        cuts = cuts[cuts >= wanted]
        if len(cuts):
            return int(cuts[0])
        begin, window_size = window_begin + len(window), _WINDOW
    return size


def document_shards(
    documents: Iterable[str], cutter: Cutter, name: str, shard_bytes: int = SHARD_BYTES
) -> Iterator[Shard]:
    """The shards of a document stream. Each has just enough documents to reach `shard_bytes`; long ones are cut.

    Args:
        name: name of the corpus, for error messages.

    Raises:
        CorpusError: a document contains a lone surrogate, or is too long without a safe cut.
    """
    texts: list[bytes] = []
    size, first, last, is_complete = 0, 1, 0, True

    def shard() -> Shard:
        return Shard(partial(list, texts), is_complete, size, f"documents {first} to {last} of {name}")

    for number, document in enumerate(documents, 1):
        location = f"document {number} of {name}"
        for text, is_last in _cut_document(_encode(document, location), shard_bytes, cutter, location):
            if size >= shard_bytes:
                yield shard()
                texts, size, first = [], 0, number
            texts.append(text)
            size += len(text)
            last, is_complete = number, is_last
    if texts:
        yield shard()


def _cut_document(text: bytes, size: int, cutter: Cutter, location: str) -> Iterator[tuple[bytes, bool]]:
    """A document in parts of about `size` bytes, cut where that changes no token; True with the last part."""
    begin = 0
    while len(text) - begin > 2 * size:
        end = _next_cut(
            lambda offset, length: text[offset : offset + length], len(text), begin + size, cutter, location
        )
        if end == len(text):
            break
        yield text[begin:end], False
        begin = end
    yield text[begin:], True


def _encode(document: str, location: str) -> bytes:
    if not isinstance(document, str):
        raise TypeError(f"A document is a str, but {location} is of type {type(document).__name__}.")
    try:
        return document.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"{location} contains a lone surrogate (U+{ord(document[error.start]):04X}) at character {error.start}: "
            "half of a surrogate pair, which UTF-8 cannot encode. Remove it."
        ) from None


# --- from a shard to parts --------------------------------------------------------------------------------------------


class SpecialTokens:
    """Finds special tokens in a text, and adds a separator between documents."""

    def __init__(self, special_to_id: Mapping[str, int], separator_id: int = NO_TOKEN) -> None:
        """
        Args:
            special_to_id: the special tokens to find; if empty, all text is ordinary.
            separator_id: the ID to add after each document; `NO_TOKEN` for none.
        """
        # The longest first: a regex takes the first alternative that matches.
        special_to_id = dict(sorted(special_to_id.items(), key=lambda item: len(item[0]), reverse=True))
        self._id_of = {token.encode(): token_id for token, token_id in special_to_id.items()}
        self._any = re.compile(b"|".join(map(re.escape, self._id_of))) if self._id_of else None
        self._separator_id = separator_id

    def parts(self, shard: Shard, documents: list[bytes]) -> Parts:
        """The ordinary text of a shard, between its special tokens and the ends of its documents.

        Args:
            documents: those of the shard, as `Shard.read` returns them. Offsets are those in the joined documents.
        """
        ends = np.cumsum(np.fromiter(map(len, documents), np.int64, len(documents)))
        ids = np.full(len(documents), self._separator_id, np.int64)
        if not shard.is_complete:
            ids[-1] = NO_TOKEN
        if self._any is None:
            return Parts(np.append(0, ends[:-1]), ends, ids)
        parts: list[tuple[int, int, int]] = []
        begin = 0
        for document, end, token_id in zip(documents, ends.tolist(), ids.tolist()):
            start = begin
            for match in self._any.finditer(document):
                parts.append((begin, start + match.start(), self._id_of[match[0]]))
                begin = start + match.end()
            parts.append((begin, end, token_id))
            begin = end
        return Parts(*np.array(parts, np.int64).T.copy())
