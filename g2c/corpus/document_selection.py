"""A part of a corpus: as many bytes as wanted, a random sample, or its train or validation part.

Whether a document is chosen depends on its text alone, so it is the same in every run, on every machine, and whatever
comes before or after it in the corpus.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Literal

from g2c.common.progress import byte_progress
from g2c.corpus.corpora import documents


def select_documents(
    corpus: str | os.PathLike[str] | Iterable[str],
    *,
    max_bytes: int | None = None,
    sample: float = 1.0,
    seed: int = 0,
    split: Literal["train", "validation"] | None = None,
    validation: float = 0.01,
    progress: bool | None = False,
) -> Iterator[str]:
    """Yield some of the documents of a corpus, in their order, in memory for one document at a time.

    Args:
        corpus: what `g2c.corpus.corpora.documents` takes, or any iterable of documents.
        max_bytes: stop before the document with which there would be more bytes of UTF-8 than this.
        sample: the share of documents to keep, from 0 to 1, chosen by a hash of the document and the seed.
        seed: another seed keeps other documents.
        split: "train" or "validation" for one of the two parts, None for both. Which part a document belongs to is
            decided by a hash of its text, so copies of a document are never on both sides, and the parts stay the same
            when the corpus grows. The seed does not matter.
        validation: the share of documents in the validation part, from 0 to 1.
        progress: True shows the bytes that were yielded, None shows them in a terminal or notebook only.

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
        with byte_progress(progress, total=max_bytes, description="Reading") as bar:
            for document in stream:
                data = document.encode("utf-8", "surrogatepass")
                if not is_chosen(data):
                    continue
                done += len(data)
                if max_bytes is not None and done > max_bytes:
                    return
                yield document
                bar.update(done)

    return selected()


def _chance(data: bytes, purpose: str, seed: int) -> float:
    """A number from 0 to below 1 that looks random and depends on the data, the purpose and the seed alone."""
    salt = seed.to_bytes(16, "little", signed=True)
    digest = hashlib.blake2b(data, digest_size=6, person=purpose.encode(), salt=salt).digest()
    return int.from_bytes(digest, "little") / 2**48
