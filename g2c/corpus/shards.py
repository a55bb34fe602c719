"""Cutting a corpus into shards, which any number of threads can process independently and in any order.

    documents      document | document | doc……………ument | document | document …     each in blocks, as they are read
    shards         ----- 0 -----|------ 1 ------|----- 2 -----|--- 3 ---            a few megabytes each

A shard ends with a document, or inside one at a cut that changes no token (see `Cutter`). The cuts depend only on the
corpus, the tokenizer and the size of shards.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from g2c.common.errors import CorpusError
from g2c.corpus.documents import CHECKED_BYTES, CorpusInput
from g2c.engine.parts import Cutter

SHARD_BYTES = 4 << 20  # The approximate size of the text in a shard.
MAX_UNCUT_BYTES = 16 << 20
MAX_UNCUT_BYTES_OF_OTHER_PATTERNS = 64 << 20
"""The longest text without a safe cut, in bytes, because it has to fit into memory; and the longest document under a
pattern without known safe cuts, whose pieces are shorter."""


@dataclass(frozen=True)
class Shard:
    """A part of a corpus, which may begin and end inside a document."""

    text: bytes
    """UTF-8. The separator follows each document that ends in it."""
    ends: list[int]
    """The offsets at which documents end, before their separators."""
    read: int | None
    """How many bytes of the corpus's files had been read, if known."""


def cut_into_shards(
    source: CorpusInput, cutter: Cutter, separator: bytes = b"", shard_bytes: int = SHARD_BYTES
) -> Iterator[Shard]:
    """Yield the shards of a corpus. Each has just enough documents to reach `shard_bytes`; long ones are cut.

    `separator` follows each document. An empty text file is none. Raises CorpusError if a long one has no safe cut.
    """
    texts: list[bytes] = []
    ends: list[int] = []
    size = 0
    for number, document in enumerate(source.encoded(min(shard_bytes, CHECKED_BYTES)), start=1):
        if isinstance(document, bytes) and len(document) < shard_bytes:
            parts: Iterable[tuple[bytes, bool]] = ((document, True),)
        else:
            parts = _cut_document(source.place(number), document, cutter, shard_bytes)
        for text, is_last in parts:
            texts.append(text)
            size += len(text)
            if is_last:
                ends.append(size)
                texts.append(separator)
                size += len(separator)
            if not is_last or size >= shard_bytes:
                yield Shard(b"".join(texts), ends, source.bytes_read())
                texts, ends, size = [], [], 0
    if texts:
        yield Shard(b"".join(texts), ends, source.bytes_read())


def _cut_document(
    place: str, document: bytes | Iterable[bytes], cutter: Cutter, size: int
) -> Iterator[tuple[bytes, bool]]:
    """Yield a document in parts of about `size` bytes, cut where that changes no token; True with the last part."""
    longest = size + (MAX_UNCUT_BYTES if cutter.finds_cuts else MAX_UNCUT_BYTES_OF_OTHER_PATTERNS)
    parts: list[bytes] = []
    length, wanted, begin = 0, size, 0
    blocks = (
        [document[at : at + size] for at in range(0, len(document), size)] if isinstance(document, bytes) else document
    )
    for block in blocks:
        parts.append(block)
        length += len(block)
        if length < wanted:
            continue
        parts = [text := b"".join(parts)]
        cut = cutter.last_cut(text)
        if cut:
            text, rest = text[:cut], text[cut:]
            parts, length, wanted = [rest], len(rest), size
            yield text, False
            begin += cut
        elif length > longest:
            raise CorpusError(
                f"{place}: in {(longest - size) >> 20} MB from byte {begin + size} on, there is no offset at which "
                "the text can be cut, such as the end of a word under the pattern gpt2 or gpt4. Divide it into lines "
                "or documents, or leave it out."
            )
        else:
            # Twice as much, because all of it is searched again.
            wanted = min(2 * length, longest + 1)
    if parts:
        yield b"".join(parts), True
