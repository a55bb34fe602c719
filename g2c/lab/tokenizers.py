"""The tokenizers that the lab offers, and what the page needs to know of them to encode with them.

They are the student's code, saved artifacts or a small one, and published ones. Those of other people work before the
student has written anything.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from platform import python_version
from typing import Any

import numpy as np
import tokenizers

from g2c.common.errors import CourseError
from g2c.common.files import restore_folder
from g2c.common.paths import artifacts_folder
from g2c.corpus.corpora import TABLES, files_are_here, pydocs_topics
from g2c.corpus.published_tokenizers import load_bert, load_published
from g2c.engine.fast import encode_fast, train_fast
from g2c.formats.artifact import load_artifact
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import TOKENIZER_FILE, load
from g2c.lab.pages import OTHER_PATTERN, table_of_merges
from g2c.tokenizer.base import BPEBase

MAX_IDS_SIZE = 200 * 2**20
"""The size in bytes up to which the lab counts the token IDs of an artifact."""

PREDICTED_FROM = 200_000
"""Token IDs of a corpus from which the view Predict trains, at most."""

YOURS = "yours"
"""The student's own `encode`, with the merges of the first of the other tokenizers."""
SMALL = "small"
PUBLISHED: dict[str, Callable[[], Any]] = {
    name: load_bert if name == "bert" else partial(load_published, name) for name in TABLES
}
"""Name -> what loads it."""
TITLES = {
    YOURS: "your encode",
    SMALL: "small (1,000 tokens)",
    "gpt2": "GPT-2",
    "cl100k": "cl100k (GPT-4)",
    "o200k": "o200k (GPT-4o, GPT-5)",
    "llama3": "Llama 3",
    "qwen3": "Qwen 3",
    "deepseek": "DeepSeek V3",
    "bert": "BERT",
}
"""Name -> the title that the page shows. An artifact has none but its name, and cannot have one of these."""


def names() -> list[str]:
    """The names of the tokenizers: the student's code; saved artifacts, or a small one; published ones."""
    saved = sorted(folder.name for folder in artifacts_folder().glob("*/") if _is_saved(folder.name))
    return [YOURS, *(saved or [SMALL]), *filter(is_here, PUBLISHED)]


def missing_tables() -> list[str]:
    """The published tokenizers whose tables can still be fetched, as `./datasets.sh` names them."""
    return [name for name in PUBLISHED if not is_here(name)]


def is_here(name: str) -> bool:
    return files_are_here(TABLES[name])


def _is_saved(name: str) -> bool:
    return name not in TITLES and (artifacts_folder() / name / TOKENIZER_FILE).is_file()


def tokenizer_named(name: str) -> Any:
    """A `BPEBase`, which has no code of the student, or BERT's tokenizer of the library `tokenizers`."""
    if name not in names():
        raise CourseError(f"There is no tokenizer named {name!r}.")
    named = _owner_of_table(name)
    return _loaded(named, _version(named))


def _owner_of_table(name: str) -> str:
    """The tokenizer whose table this one has: for the student's encode, the next in the list."""
    return names()[1] if name == YOURS else name


def _version(name: str) -> str:
    """Another one when an artifact has been saved again. A small tokenizer is that of a Python's documentation."""
    path = artifacts_folder() / name / TOKENIZER_FILE
    return str(path.stat().st_mtime_ns) if _is_saved(name) else python_version()


@lru_cache(maxsize=8)
def _loaded(name: str, version: str) -> Any:
    if _is_saved(name):
        restore_folder(artifacts_folder() / name)
        return load(artifacts_folder() / name, BPEBase)
    if name in PUBLISHED:
        return PUBLISHED[name]()
    tokenizer = BPEBase(["<|endoftext|>"], pattern="gpt2")
    train_fast(tokenizer, pydocs_topics()[:20], 1000, progress=False)
    return tokenizer


def described(name: str) -> dict[str, Any]:
    """What the page needs to know of a tokenizer: the entry of a list, before its table is loaded.

    One that `loses` something of a text, which this says in a sentence, does not encode by merges.
    """
    about: dict[str, Any] = {"name": name, "title": TITLES.get(name, name), "version": _version(_owner_of_table(name))}
    about["predicts"] = name == SMALL or (_is_saved(name) and (artifacts_folder() / name / IDS_FILE).is_file())
    if name == "bert":
        about["loses"] = "BERT lower-cases a text and drops accents and spaces, so its tokens do not give it back."
    return about


# --- what the page computes with --------------------------------------------------------------------------------------


def table_of(tokenizer: Any) -> dict[str, Any]:
    """What page/tokenizer.js needs of a tokenizer: `table_of_merges`, or all tokens of one that has no merges."""
    if isinstance(tokenizer, tokenizers.Tokenizer):
        vocab = dict(sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]))
        special = {token: token_id for token, token_id in vocab.items() if token[:1] + token[-1:] == "[]"}
        return {"pattern": OTHER_PATTERN, "special": special, "byteIds": [], "merges": [], "words": vocab}
    return table_of_merges(tokenizer)


def parts_of(tokenizer: Any, text: str, *, ordinary: bool) -> list[list[int]]:
    """The parts of a text that no merge crosses, as IDs, for a tokenizer whose pattern is OTHER_PATTERN.

    Special tokens in the text are plain text if `ordinary`, except for BERT.
    """
    if isinstance(tokenizer, tokenizers.Tokenizer):
        return [tokenizer.encode(text, add_special_tokens=False).ids]
    finder: BPEBase = tokenizer._allowing("none") if ordinary else tokenizer
    return [[part] if isinstance(part, int) else list(part) for part in finder._pieces(text)]


def corpus_ids(name: str) -> list[int]:
    """The first token IDs of an artifact's corpus, or of the documentation for the small tokenizer."""
    if name == SMALL:
        return list(encode_fast(tokenizer_named(name), "\n".join(pydocs_topics()[:20])))[:PREDICTED_FROM]
    return [int(one) for one in load_artifact(name, mmap=True, cls=BPEBase).ids[:PREDICTED_FROM]]


def corpus_of(name: str) -> dict[str, Any] | None:
    """The name of an artifact's corpus, and how often it has each ID, in a list. None where there are no token IDs."""
    ids = artifacts_folder() / name / IDS_FILE
    if not _is_saved(name) or not ids.is_file() or ids.stat().st_size > MAX_IDS_SIZE:
        return None
    artifact = load_artifact(name, mmap=True, cls=BPEBase)
    corpus = (artifact.manifest["corpus"] or {}).get("name") or "its corpus"
    return {"name": str(corpus), "counts": np.bincount(artifact.ids).tolist()}
