"""Grouping a corpus into batches, which any number of threads can process independently and in any order.

    documents   document | document | document | document | document …     a batch ends with a document
    one text    The cat sat| on the mat. The| dog …                        and inside a text at a safe cut

The batches depend only on the corpus and the pattern. Their tokens are those of the documents or of the text.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from g2c.common.errors import CorpusError
from g2c.corpus.documents import CorpusInput
from g2c.tokenizer.patterns import PATTERNS, Pattern, last_safe_cut

BATCH_BYTES = 4 << 20
"""About how much text is in a batch. The tokens do not depend on it."""

MAX_UNCUT_BYTES = 64 << 20
"""The longest text without a safe cut, which takes forty times as much memory."""


class Batch(NamedTuple):
    """A part of a corpus: UTF-8, and the offsets at which documents end. The separator follows each of these."""

    text: bytes
    ends: list[int]


def batches_of(
    source: CorpusInput, pattern: Pattern | None, special_tokens: Iterable[str] = (), separator: bytes = b""
) -> Iterator[Batch]:
    """Yield a corpus in batches of about `BATCH_BYTES`. Of documents, each batch has as many as reach this size.

    Args:
        source: the corpus. One text is cut where that changes no piece under the pattern and no special token.
        pattern, special_tokens: what the text is split at. `separator` follows each document.

    Raises CorpusError if a long text has no safe cut, and what reading the corpus raises.
    """
    if source.is_text:
        yield from _batches_of_text(source, pattern, sorted(special_tokens))
        return
    texts: list[bytes] = []
    ends: list[int] = []
    size = 0
    for document in source.encoded():
        size += len(document)
        ends.append(size)
        size += len(separator)
        texts += document, separator
        if size >= BATCH_BYTES:
            yield Batch(b"".join(texts), ends)
            texts, ends, size = [], [], 0
    if texts:
        yield Batch(b"".join(texts), ends)


def _batches_of_text(source: CorpusInput, pattern: Pattern | None, special_tokens: list[str]) -> Iterator[Batch]:
    held: list[bytes] = []
    size, wanted = 0, BATCH_BYTES
    for block in source.encoded():
        held.append(block)
        size += len(block)
        if size < wanted:
            continue
        text, begin = b"".join(held), 0
        while size - begin >= wanted:
            # The last lines of a batch are enough to find a cut.
            tail = max(begin, begin + wanted - 4096)
            if cut := last_safe_cut(text[tail : begin + wanted], pattern, special_tokens):
                end = tail + cut
                yield Batch(text[begin:end], [])
                begin, wanted = end, BATCH_BYTES
            elif wanted < MAX_UNCUT_BYTES:
                wanted *= 2
            else:
                raise CorpusError(
                    f"{source.name} is one text with no place to cut it in {MAX_UNCUT_BYTES >> 20} MB. Use one of the "
                    f"patterns {', '.join(PATTERNS)}, which allow cuts before spaces, or divide it into documents."
                )
        held, size = [text[begin:]], size - begin
    if size:
        yield Batch(b"".join(held), [])
