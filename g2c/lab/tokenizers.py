"""Lists the tokenizers that the lab offers, makes the tables with which the page encodes, and exports the page.

The tokenizers are the student's code, saved artifacts or a small tokenizer, and published ones. All but the first work
before the student has written anything.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np
import tokenizers

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.paths import artifacts_folder
from g2c.corpus.corpora import TABLES, artifact_name, files_are_here, pydocs_topics
from g2c.corpus.published_tokenizers import load_bert, load_published
from g2c.engine.fast import encode_fast, train_fast
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import TOKENIZER_FILE
from g2c.lab.pages import OTHER_PATTERN, page_of, table_of_merges
from g2c.tokenizer.base import BPEBase

MAX_IDS_SIZE = 200 * 2**20
"""The size in bytes up to which the lab counts the token IDs of an artifact."""

PREDICTED_FROM = 200_000
"""The Predict view trains on the first token IDs of a corpus, at most so many."""

YOURS = "yours"
"""The student's own `encode`, with the merges of the next tokenizer in the list."""
SMALL = "small"
PUBLISHED: dict[str, Callable[[], Any]] = {
    name: load_bert if name == "bert" else partial(load_published, name) for name in TABLES if name != "deepseek"
}
"""Name, as in `./datasets.sh NAME` -> the function that loads the tokenizer."""
TITLES = {
    YOURS: "your encode",
    SMALL: "small (1,000 tokens)",
    "gpt2": "GPT-2",
    "cl100k": "cl100k (GPT-4)",
    "o200k": "o200k (GPT-4o, GPT-5)",
    "llama3": "Llama 3",
    "qwen3": "Qwen 3",
    "bert": "BERT",
}
"""Name -> the title that the page shows. An artifact is shown by its name, which cannot be one of these."""


def names() -> list[str]:
    """Return the names of the tokenizers: the student's code; saved artifacts, or a small one; published ones."""
    saved = sorted(folder.name for folder in artifacts_folder().glob("*/") if _is_saved(folder.name))
    return [YOURS, *(saved or [SMALL]), *filter(is_here, PUBLISHED)]


def is_here(name: str) -> bool:
    return files_are_here(TABLES[name])


def _is_saved(name: str) -> bool:
    return name not in TITLES and (artifacts_folder() / name / TOKENIZER_FILE).is_file()


def tokenizer_named(name: str) -> Any:
    """Return a `BPEBase`, which runs none of the student's code, or BERT's tokenizer of the `tokenizers` library."""
    if name not in names():
        raise CourseError(f"There is no tokenizer named {name!r}.")
    return _loaded(*_table_and_version(name))


def _table_and_version(name: str) -> tuple[str, str]:
    """Return the name of the tokenizer whose table this one uses, and its version, which changes with every save."""
    owner = names()[1] if name == YOURS else name
    if not _is_saved(owner):
        return owner, python_version()  # The small tokenizer learns from this Python's documentation.
    return owner, str((artifacts_folder() / owner / TOKENIZER_FILE).stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _loaded(name: str, version: str) -> Any:
    if _is_saved(name):
        return BPEBase.load(artifacts_folder() / name)
    return PUBLISHED[name]() if name in PUBLISHED else small_tokenizer()


def small_tokenizer() -> BPEBase:
    tokenizer = BPEBase(["<|endoftext|>"], pattern="gpt2")
    train_fast(tokenizer, pydocs_topics()[:20], 1000, progress=False)
    return tokenizer


def described(name: str) -> dict[str, Any]:
    """Return what the page lists of a tokenizer before it loads the table.

    "loses", a sentence, marks a tokenizer that does not encode by merges and cannot give the text back.
    """
    about: dict[str, Any] = {"name": name, "title": TITLES.get(name, name), "version": _table_and_version(name)[1]}
    about["predicts"] = name == SMALL or (_is_saved(name) and (artifacts_folder() / name / IDS_FILE).is_file())
    if name == "bert":
        about["loses"] = "BERT lower-cases a text and drops accents and spaces, so its tokens do not give it back."
    return about


# --- what the page computes with --------------------------------------------------------------------------------------


def table_of(tokenizer: Any) -> dict[str, Any]:
    """Return the table for page/tokenizer.js: `table_of_merges`, or all tokens of a tokenizer without merges."""
    if isinstance(tokenizer, tokenizers.Tokenizer):
        vocab = dict(sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]))
        special = {token: token_id for token, token_id in vocab.items() if token[:1] + token[-1:] == "[]"}
        return {"pattern": OTHER_PATTERN, "special": special, "byteIds": [], "merges": [], "words": vocab}
    return table_of_merges(tokenizer)


def parts_of(tokenizer: Any, texts: list[str], *, ordinary: bool) -> list[list[list[int]]]:
    """Split texts into parts that no merge crosses, as IDs, for a tokenizer whose pattern is OTHER_PATTERN.

    Special tokens in the texts are plain text if `ordinary`, except for BERT.
    """
    if isinstance(tokenizer, tokenizers.Tokenizer):
        return [[tokenizer.encode(text, add_special_tokens=False).ids] for text in texts]
    finder: BPEBase = tokenizer.without_special_tokens() if ordinary else tokenizer
    return [[[part] if isinstance(part, int) else list(part) for part in finder._pieces(text)] for text in texts]


def corpus_ids(name: str) -> list[int]:
    """Return the first token IDs of an artifact's corpus, or of the documentation for the small tokenizer."""
    if name == SMALL:
        return list(encode_fast(tokenizer_named(name), "\n".join(pydocs_topics()[:20])))[:PREDICTED_FROM]
    return [int(one) for one in BPEBase.load_artifact(name, mmap=True).ids[:PREDICTED_FROM]]


def corpus_of(name: str) -> dict[str, Any] | None:
    """Return the name of an artifact's corpus, and a list of how often it has each ID; None without token IDs."""
    ids = artifacts_folder() / name / IDS_FILE
    if not _is_saved(name) or not ids.is_file() or ids.stat().st_size > MAX_IDS_SIZE:
        return None
    artifact = BPEBase.load_artifact(name, mmap=True)
    corpus = (artifact.manifest["corpus"] or {}).get("name") or "its corpus"
    return {"name": str(corpus), "counts": np.bincount(artifact.ids).tolist()}


# --- the exported page ------------------------------------------------------------------------------------------------


def export(name: str, folder: Path) -> Path:
    """Write the lab as one file, index.html in a folder, that needs no server and no network. Returns its path.

    It contains the tables of an artifact or a tokenizer.json, and of GPT-2 and cl100k if they are in the data folder.
    CourseError: there is no such tokenizer, the page cannot split text by its pattern, or the disk is full.
    """
    saved = artifact_name(name)
    path = Path(name) if Path(name).exists() else artifacts_folder() / saved
    exported = {path.parent.name if path.is_file() else path.name: BPEBase.load(path)}
    exported |= {TITLES[published]: PUBLISHED[published]() for published in filter(is_here, ("gpt2", "cl100k"))}
    page = export_page(exported, None if Path(name).exists() else corpus_of(saved))
    write_file(folder / "index.html", [page.encode()])
    return folder / "index.html"


def export_page(exported: dict[str, BPEBase], corpus: dict[str, Any] | None = None) -> str:
    """Return the page for tokenizers, by the names that it shows. `corpus` is the first one's, from `corpus_of`."""
    tables = {name: table_of(tokenizer) for name, tokenizer in exported.items()}
    if any(table["pattern"] == OTHER_PATTERN for table in tables.values()):
        raise CourseError(
            "The exported page splits text by one of the named patterns or not at all, and this tokenizer has another "
            "pattern."
        )
    return page_of({"tables": tables, "corpora": {next(iter(tables)): corpus}})
