"""Cutting a corpus into shards, which are worked on independently and in any order, by any number of processes.

    corpus     document | document | doc……………ument | document | document …
    shards     ----- 0 -----|------ 1 ------|----- 2 -----|--- 3 ---            some megabytes each

A border is at the end of a document, or at a place within one where a cut changes no token: `Cutter` finds them. Where
the borders are depends on the corpus, the tokenizer and the size of the shards alone.
"""

import codecs
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from g2c.common.errors import CorpusError
from g2c.engine.splitting import STAND_IN, is_vectorized, safe_cuts
from g2c.engine.vectorized import NO_TOKEN

SHARD_BYTES = 4 << 20
"""About how much text is in a shard."""

LONGEST_UNCUT = 4 << 20
"""The longest stretch of text, in bytes, that may have no place for a cut: memory has to hold what is not cut."""

LONGEST_DOCUMENT = 64 << 20
"""The longest document, in bytes, under a pattern for which no safe cuts are known."""

_FIRST_WINDOW, _WINDOW = 2 << 10, 64 << 10
"""Bytes in which a cut is looked for: natural text has one within the first words."""


class Cutter:
    """Where a text can be cut without changing its token IDs.

    - Under the gpt2 and gpt4 patterns: after a letter or number, before a character of another class. The proof is in
      `g2c.engine.splitting.safe_cuts`.
    - Without a pattern: between two bytes that stand next to each other inside no token. A merge across the cut would
      make a token with these two bytes side by side in it, and there is none.
    - Under any other pattern: nowhere.
    - And never inside a special token, where special tokens are to be found. Outside of them it is safe: what is left
      and right of the cut holds the same special tokens as before, and the text between two of them is encoded on its
      own.
    """

    def __init__(self, pattern: str | None, tokens: Iterable[bytes] = (), special_tokens: Sequence[str] = ()) -> None:
        """
        Args:
            pattern: a regex as `resolve_pattern` returns it, or None.
            tokens: the bytes of all learned tokens; needed without a pattern only.
            special_tokens: those to be found in the text.
        """
        self._pattern = pattern
        self._special_tokens = [token.encode() for token in special_tokens]
        self._margin = max(map(len, self._special_tokens), default=1) - 1
        self.overlap = 2 * self._margin + 8
        self._together = np.zeros((256, 256), bool)
        if pattern is None:
            for token in tokens:
                self._together[list(token[:-1]), list(token[1:])] = True

    @property
    def cuts_anywhere(self) -> bool:
        """False under a pattern of which nothing is known."""
        return self._pattern is None or is_vectorized(self._pattern)

    def cuts(self, window: bytes) -> np.ndarray:
        """Offsets of safe cuts, ascending, in a part of a text. Not all: near its ends some may be missing.

        Args:
            window: valid UTF-8, except that a character may be cut off at either end.
        """
        if self._pattern is None:
            data = np.frombuffer(window, np.uint8)
            is_first_byte = (data[1:] & 0b1100_0000) != 0b1000_0000
            cuts = np.flatnonzero(is_first_byte & ~self._together[data[:-1], data[1:]]) + 1
        elif is_vectorized(self._pattern):
            cuts = safe_cuts(window)
        else:
            return np.zeros(0, np.int64)
        for token in self._special_tokens:
            begin = window.find(token)
            while begin >= 0:
                cuts = cuts[(cuts <= begin) | (cuts >= begin + len(token))]
                begin = window.find(token, begin + 1)
        # At the ends of the window a special token may be only partly in sight.
        return cuts[(cuts >= self._margin) & (cuts <= len(window) - self._margin)]


@dataclass(frozen=True)
class Shard:
    """A part of a corpus.

    Attributes:
        text: the text, as UTF-8; or where it is: a file, and the offsets of its beginning and end in bytes.
        document_ends: offsets in the text at which documents end; what comes after the last one goes on in the next
            shard.
        place: what part of the corpus this is, for error messages.
    """

    text: bytes | tuple[Path, int, int]
    document_ends: tuple[int, ...]
    place: str

    @property
    def size(self) -> int:
        """Bytes of text."""
        return len(self.text) if isinstance(self.text, bytes) else self.text[2] - self.text[1]

    def read(self) -> bytes:
        """The text. CorpusError when it is not UTF-8, or the file has become shorter."""
        data = self.read_unchecked()
        if not isinstance(self.text, bytes):
            check_utf8(data, self.text[0], self.text[1])
        return data

    def read_unchecked(self) -> bytes:
        """The same for a text that `read` has found to be right before: it is known by its checksum."""
        if isinstance(self.text, bytes):
            return self.text
        path, begin, end = self.text
        try:
            with path.open("rb") as file:
                file.seek(begin)
                data = file.read(end - begin)
        except FileNotFoundError:
            raise CorpusError(
                f"There is no file {path} on the machine {platform.node()}. "
                "It was moved or removed, or a cluster's machines do not share its folder."
            ) from None
        except OSError as error:
            raise CorpusError(f"{path} cannot be read: {error.strerror or error}.") from None
        if len(data) < end - begin:
            raise CorpusError(f"{path} has become shorter while it was read. Start again when it is complete.")
        return data

    def documents(self, text: bytes) -> Iterator[tuple[bytes, bool]]:
        """Cut the text, as `read` returns it, into documents; and whether each of them ends in this shard."""
        begin = 0
        for end in self.document_ends:
            yield text[begin:end], True
            begin = end
        if begin < len(text):
            yield text[begin:], False


def check_utf8(data: bytes, path: Path, offset: int) -> None:
    """Raise CorpusError, with the place, when `data`, which stands at `offset` in the file, is not valid UTF-8."""
    begin = 0
    try:
        while begin < len(data):
            # In parts: decoded text takes up to four times the memory of its bytes.
            begin += codecs.utf_8_decode(data[begin : begin + _WINDOW], "strict", begin + _WINDOW >= len(data))[1]
    except UnicodeDecodeError as error:
        place, byte = offset + begin + error.start, error.object[error.start]
        raise CorpusError(
            f"{path} is not UTF-8 text: byte {place} (0x{byte:02x}) does not fit. Convert it to UTF-8, or leave it out."
        ) from None


def file_shards(paths: Iterable[Path], cutter: Cutter, shard_bytes: int = SHARD_BYTES) -> Iterator[Shard]:
    """The shards of text files. Each file is one document, taken as it is, byte for byte.

    Raises:
        CorpusError: a file cannot be read, is not UTF-8 at a border, or has no place for a cut in too long a stretch.
    """
    for path in paths:
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                begin = 0
                while begin < size:
                    end = _next_cut(_file_reader(file, path), size, begin + shard_bytes, cutter, str(path))
                    ends = (end - begin,) if end == size else ()
                    # Absolute: a worker on another machine knows no folder that is the current one.
                    yield Shard((path.absolute(), begin, end), ends, f"{path}, bytes {begin} to {end}")
                    begin = end
        except OSError as error:
            raise CorpusError(f"{path} cannot be read: {error.strerror or error}.") from None


def _file_reader(file: BinaryIO, path: Path) -> Callable[[int, int], bytes]:
    def read_window(offset: int, size: int) -> bytes:
        file.seek(offset)
        window = file.read(size)
        # The window may begin and end within a character.
        begin = next((start for start in range(min(3, len(window))) if not 0x80 <= window[start] < 0xC0), 0)
        end = next((len(window) - back for back in (1, 2, 3) if window[-back:][:1] >= b"\xc0"), len(window))
        check_utf8(window[begin:end], path, offset + begin)
        return window

    return read_window


def _next_cut(read_window: Callable[[int, int], bytes], size: int, wanted: int, cutter: Cutter, place: str) -> int:
    """The first safe cut at the offset `wanted` or after it, in a text of `size` bytes; or its end.

    `read_window` takes an offset and a number of bytes, and returns that part of the text.
    """
    if not cutter.cuts_anywhere:
        if size > LONGEST_DOCUMENT:
            raise CorpusError(
                f"{place} has {size:,} bytes in one document, and under this pattern a document cannot be cut; at most "
                f"{LONGEST_DOCUMENT:,} fit into memory. Split it into documents, or use the pattern gpt2 or gpt4."
            )
        return size
    begin, window_size = wanted, _FIRST_WINDOW
    while begin < size:
        if begin - wanted > LONGEST_UNCUT:
            raise CorpusError(
                f"{place}: from byte {wanted} on, there is no place where the text can be cut, such as the end of a "
                f"word, in {LONGEST_UNCUT >> 20} MB. This is no natural text; leave it out."
            )
        # Windows overlap, since cuts near the ends of one are not all found.
        window_begin = max(0, begin - cutter.overlap)
        window = read_window(window_begin, cutter.overlap + window_size)
        cuts = window_begin + cutter.cuts(window)
        cuts = cuts[cuts >= wanted]
        if len(cuts):
            return int(cuts[0])
        begin, window_size = window_begin + len(window), _WINDOW
    return size


def cut_text(text: bytes, size: int, cutter: Cutter, place: str) -> Iterator[bytes]:
    """A text in parts of about `size` bytes, cut where it is safe."""
    begin = 0
    while len(text) - begin > 2 * size or not cutter.cuts_anywhere:
        end = _next_cut(lambda offset, length: text[offset : offset + length], len(text), begin + size, cutter, place)
        if end == len(text):
            break
        yield text[begin:end]
        begin = end
    yield text[begin:]


def document_shards(
    documents: Iterable[str], cutter: Cutter, name: str, shard_bytes: int = SHARD_BYTES
) -> Iterator[Shard]:
    """The shards of a stream of documents: as many documents as reach `shard_bytes`; long ones are cut.

    Args:
        name: of the corpus, for error messages.

    Raises:
        CorpusError: a document holds a lone surrogate, or is too long.
    """
    texts: list[bytes] = []
    ends: list[int] = []
    size, first, number = 0, 1, 0
    for number, document in enumerate(documents, start=1):
        place = f"document {number} of {name}"
        for part in cut_text(_encode(document, place), shard_bytes, cutter, place):
            if size >= shard_bytes:
                yield Shard(b"".join(texts), tuple(ends), f"documents {first} to {number} of {name}")
                texts, ends, size, first = [], [], 0, number
            texts.append(part)
            size += len(part)
        ends.append(size)
    if texts:
        yield Shard(b"".join(texts), tuple(ends), f"documents {first} to {number} of {name}")


def _encode(document: str, place: str) -> bytes:
    if not isinstance(document, str):
        raise TypeError(f"A document is a str, but {place} is of type {type(document).__name__}.")
    try:
        return document.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"{place} holds a lone surrogate (U+{ord(document[error.start]):04X}) at character {error.start}: "
            "half of a character, which UTF-8 cannot express. Remove it."
        ) from None


# --- from a shard to blocks -------------------------------------------------------------------------------------------


class SpecialTokens:
    """Which special tokens are looked for in a text, and what stands between two documents."""

    def __init__(self, special_to_id: Mapping[str, int], separator_id: int = NO_TOKEN) -> None:
        """
        Args:
            special_to_id: the special tokens to look for; empty: all text is ordinary.
            separator_id: comes after each document; `NO_TOKEN`: nothing does.
        """
        self._id_of = {token.encode(): token_id for token, token_id in special_to_id.items()}
        self._any = re.compile(b"(" + b"|".join(map(re.escape, self._id_of)) + b")") if self._id_of else None
        self._separator_id = separator_id

    def parts(self, documents: Iterable[tuple[bytes, bool]]) -> Iterator[bytes | int]:
        """Documents as ordinary text and, as IDs, special tokens and ends of documents (`NO_TOKEN`: nothing is there).

        Two texts never come one after the other.

        Args:
            documents: (text, whether it is complete), as `Shard.documents` gives them.
        """
        for document, is_complete in documents:
            for number, part in enumerate(self._any.split(document) if self._any else (document,)):
                if part:
                    # Text and special tokens take turns.
                    yield self._id_of[part] if number % 2 else part
            if is_complete:
                yield self._separator_id


class Block(NamedTuple):
    """A block of text, as `VectorizedEncoder.encode` takes it."""

    text: bytes
    stand_ins: np.ndarray
    stand_in_ids: np.ndarray


def blocks(parts: Iterable[bytes | int], cutter: Cutter, size: int, place: str) -> Iterator[Block]:
    """The parts of a shard in blocks of about `size` bytes, with a stand-in for each ID."""
    texts: list[bytes] = []
    stand_ins: list[int] = []
    ids: list[int] = []
    length = 0

    def block() -> Block:
        return Block(b"".join(texts), np.array(stand_ins, np.int64), np.array(ids, np.int64))

    for part in parts:
        for text in cut_text(part, size, cutter, place) if isinstance(part, bytes) else (STAND_IN,):
            if length >= size:
                yield block()
                texts, stand_ins, ids, length = [], [], [], 0
            if isinstance(part, int):
                stand_ins.append(length)
                ids.append(part)
            texts.append(text)
            length += len(text)
    if texts:
        yield block()
