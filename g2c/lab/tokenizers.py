"""The tokenizers that the lab offers: the student's code, saved artifacts or a small one, and published ones.

All but the first are encoded by the engine, so they work before the student has written anything.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from g2c.common.errors import CourseError
from g2c.common.files import restore_folder
from g2c.common.paths import artifacts_folder
from g2c.corpus.corpora import TABLES, files_are_here, pydocs_topics
from g2c.corpus.published_tokenizers import load_bert, load_cl100k, load_gpt2
from g2c.engine.fast import train_fast
from g2c.formats.artifact import load_artifact
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import TOKENIZER_FILE, load
from g2c.tokenizer.base import BPEBase

PART = 10_000
"""Characters of a text that are encoded, at most."""
PART_WITHOUT_PATTERN = 600
"""The same for a tokenizer without a pattern: a student's `encode` goes through the whole text for each merge."""
MAX_IDS_SIZE = 200 * 2**20
"""The size in bytes up to which the lab counts the token IDs of an artifact."""

YOURS = "yours"
"""The student's own `encode`, with the merges of the first of the other tokenizers."""
SMALL = "small"
PUBLISHED: dict[str, tuple[str, Callable[[], Any]]] = {
    "gpt2": ("GPT-2", lambda: load_gpt2(BPEBase)),
    "cl100k": ("cl100k (GPT-4)", lambda: load_cl100k(BPEBase)),
    "bert": ("BERT", load_bert),
}
"""Name -> the title that the page shows, and what loads it."""


@dataclass(frozen=True)
class Counts:
    """How often each token occurs in the corpus of an artifact."""

    corpus: str
    counts: NDArray[np.int64]

    def of(self, token_id: int) -> int:
        return int(self.counts[token_id]) if token_id < len(self.counts) else 0


def names() -> list[str]:
    """The names of the tokenizers: the student's code; saved artifacts, or a small one; published ones."""
    saved = sorted(folder.name for folder in artifacts_folder().glob("*/") if _is_saved(folder.name))
    return [YOURS, *(saved or [SMALL]), *(name for name in PUBLISHED if name not in saved and is_here(name))]


def missing_tables() -> list[str]:
    """The published tokenizers whose tables can still be fetched, as `./datasets.sh` names them."""
    return [name for name in PUBLISHED if not is_here(name)]


def is_here(name: str) -> bool:
    """Whether the table of a published tokenizer is in the data folder."""
    return files_are_here(TABLES[name])


def _is_saved(name: str) -> bool:
    return (artifacts_folder() / name / TOKENIZER_FILE).is_file()


@lru_cache(maxsize=8)
def tokenizer_named(name: str) -> Any:
    """A `BPEBase`, which has no code of the student, or BERT's tokenizer of the library `tokenizers`.

    Raises:
        CourseError: there is no such tokenizer, or its files are damaged.
    """
    if name not in names():
        raise CourseError(f"There is no tokenizer named {name!r}.")
    if name == YOURS:
        return tokenizer_named(names()[1])
    if _is_saved(name):
        restore_folder(artifacts_folder() / name)
        return load(artifacts_folder() / name, BPEBase)
    if name in PUBLISHED:
        return PUBLISHED[name][1]()
    tokenizer = BPEBase(["<|endoftext|>"], pattern="gpt2")
    train_fast(tokenizer, pydocs_topics()[:20], 1000, progress=False)
    return tokenizer


def described(name: str) -> dict[str, Any]:
    """What the page needs to know of a tokenizer: see source-local.js, whose `tokenizers` returns the same."""
    about: dict[str, Any] = {"name": name, "title": name, "part": PART, "special": ["<|endoftext|>"], "merges": True}
    if name in PUBLISHED and not _is_saved(name):
        about["title"] = PUBLISHED[name][0]
        if name == "bert":
            loses = "BERT lower-cases a text and drops accents and spaces, so its tokens do not give it back."
            about |= {"special": ["[SEP]"], "merges": False, "loses": loses}
        return about
    tokenizer: BPEBase = tokenizer_named(name)
    about["special"] = tokenizer.special_tokens
    if name == SMALL and not _is_saved(name):
        about["title"] = "small (1,000 tokens)"
    if name == YOURS:
        about["title"] = "your encode"
        if tokenizer.pattern is None:
            about["part"] = PART_WITHOUT_PATTERN
            about["why"] = f"{names()[1]} has no pattern, so your encode goes through the whole text for each merge."
    return about


@lru_cache(maxsize=8)
def counts_of(name: str) -> Counts | None:
    """How often the corpus of an artifact has each token; None for other tokenizers, and where the IDs are missing."""
    ids = artifacts_folder() / name / IDS_FILE
    if not _is_saved(name) or not ids.is_file() or ids.stat().st_size > MAX_IDS_SIZE:
        return None
    artifact = load_artifact(name, mmap=True, cls=BPEBase)
    corpus = (artifact.manifest["corpus"] or {}).get("name") or "its corpus"
    return Counts(str(corpus), np.bincount(artifact.ids, minlength=artifact.tokenizer.vocab_size))


def token_of(tokenizer: Any, token_id: int) -> dict[str, Any] | None:
    """The bytes of a token, in hexadecimal, and whether it is special; None if there is no such token."""
    if isinstance(tokenizer, tokenizers.Tokenizer):
        text = tokenizer.id_to_token(token_id)
        return None if text is None else {"bytes": text.encode().hex(), "special": text[:1] + text[-1:] == "[]"}
    data = tokenizer.vocab.get(token_id)
    return None if data is None else {"bytes": data.hex(), "special": token_id in tokenizer.special_token_ids}
