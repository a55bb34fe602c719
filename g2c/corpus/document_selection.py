"""Selecting part of a corpus: a number of bytes, a random sample, or the training or validation split.

Whether a document is selected depends only on its text, so it is the same in every run, on every machine, and
independent of the other documents in the corpus.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Literal

from g2c.corpus.documents import documents


def select_documents(
    corpus: str | os.PathLike[str] | Iterable[str],
    *,
    max_bytes: int | None = None,
    sample: float = 1.0,
    seed: int = 0,
    split: Literal["train", "validation"] | None = None,
    validation: float = 0.01,
) -> Iterator[str]:
    """Yield some of the documents of a corpus in order, holding one document in memory at a time.

    Args:
        corpus: what `g2c.corpus.documents.documents` takes, or any iterable of documents.
        max_bytes: stop before the document that would exceed this number of bytes of UTF-8.
        sample: the share of documents to keep, from 0 to 1, selected by a hash of the document and the seed.
        seed: a different seed keeps different documents.
        split: "train" or "validation" for one of the two splits, None for both. A hash of the text decides which split
            a document belongs to, so copies of a document are always in the same split, and the splits stay the same
            when the corpus grows. The seed has no influence.
        validation: the share of documents in the validation split, from 0 to 1.

    Raises:
        ValueError: a share is not between 0 and 1, `max_bytes` is negative, or there is no such split.
        CorpusError: as `documents`.

    >>> stories = ["Once.", "Upon.", "A.", "Time."]
    >>> list(select_documents(stories, max_bytes=11))
    ['Once.', 'Upon.']
    >>> train = list(select_documents(stories, split="train", validation=0.5))
    >>> validation = list(select_documents(stories, split="validation", validation=0.5))
    >>> sorted(train + validation) == sorted(stories)
    True
    """
    for name, share in (("sample", sample), ("validation", validation)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} is a share from 0 to 1, but it is {share!r}.")
    if max_bytes is not None and max_bytes < 0:
        raise ValueError(f"max_bytes={max_bytes} is negative; use None for all of the corpus.")
    if split not in (None, "train", "validation"):
        raise ValueError(f"split is 'train', 'validation' or None, but it is {split!r}.")
    stream = documents(corpus) if isinstance(corpus, (str, os.PathLike)) else corpus

    def is_chosen(data: bytes) -> bool:
        if sample < 1 and _chance(data, "sample", seed) >= sample:
            return False
        return split is None or (_chance(data, "split", 0) < validation) == (split == "validation")

    def selected() -> Iterator[str]:
        done = 0
        for document in stream:
            data = document.encode("utf-8", "surrogatepass")
            if is_chosen(data):
                done += len(data)
                if max_bytes is not None and done > max_bytes:
                    return
                yield document

    return selected()


def _chance(data: bytes, purpose: str, seed: int) -> float:
    """A pseudorandom number in [0, 1) that depends only on the data, the purpose and the seed."""
    salt = seed.to_bytes(16, "little", signed=True)
    digest = hashlib.blake2b(data, digest_size=6, person=purpose.encode(), salt=salt).digest()
    return int.from_bytes(digest, "little") / 2**48
