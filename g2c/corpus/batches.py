"""Grouping a corpus into batches, which any number of threads can process independently and in any order.

    documents   document | document | document | document | document …     a batch ends with a document
    one text    The cat sat| on the mat. The| dog …                        and inside a text at a safe cut

The batches depend only on the corpus and the pattern. Their tokens are those of the documents or of the text.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from g2c.corpus.documents import CorpusInput
from g2c.engine.parts import cut_text
from g2c.tokenizer.patterns import Pattern

BATCH_BYTES = 4 << 20
"""About how much text is in a batch. The tokens do not depend on it."""


class Batch(NamedTuple):
    """A part of a corpus.

    text: UTF-8. ends: the offsets at which documents end; the separator follows each. read: how many bytes of the
    corpus are read with this batch, for reports of progress.
    """

    text: bytes
    ends: list[int]
    read: int


def batches_of(
    source: CorpusInput, pattern: Pattern | None, special_tokens: Iterable[str] = (), separator: bytes = b""
) -> Iterator[Batch]:
    """Yield a corpus in batches of about `BATCH_BYTES`. Of documents, each batch has as many as reach this size.

    Args:
        source: the corpus. One text is cut where that changes no piece under the pattern and no special token.
        pattern, special_tokens: what the text is split at. `separator` follows each document.

    A text without a safe cut is one batch, and encoding it takes forty times as much memory.
    """
    size = 0
    if source.is_text:
        blocks = source.encoded()
        short = (block[begin : begin + BATCH_BYTES] for block in blocks for begin in range(0, len(block), BATCH_BYTES))
        texts = cut_text(short, BATCH_BYTES, pattern, sorted(special_tokens))
        parts: Iterator[tuple[bytes, list[int]]] = ((text, []) for text in texts)
    else:
        parts = _joined(source.encoded(), separator)
    for text, ends in parts:
        size += len(text)
        yield Batch(text, ends, source.bytes_read or size)


def _joined(documents: Iterable[bytes], separator: bytes) -> Iterator[tuple[bytes, list[int]]]:
    """Yield the texts of batches, and the ends of their documents."""
    text, ends = bytearray(), list[int]()
    for document in documents:
        text += document
        ends.append(len(text))
        text += separator
        if len(text) >= BATCH_BYTES:
            yield bytes(text), ends
            text, ends = bytearray(), []
    if ends:
        yield bytes(text), ends
