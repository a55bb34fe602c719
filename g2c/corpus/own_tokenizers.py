"""From a corpus of your own to an artifact: train a tokenizer on it, encode it, and save both.

    corpus  --train_exact_corpus-->  tokenizer  --encode_corpus-->  artifacts/tokenizers/NAME/

Between the two steps the tokenizer is kept in a folder `.NAME.training` beside the artifact, together with a recipe:
the corpus and the settings that it was trained with. If the encoding is interrupted, the next call finds the tokenizer
there and continues with the encoding, which has a folder of its own (see encoding.py).
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from g2c.common.errors import CourseError, FileFormatError, MissingFileError
from g2c.common.files import read_file, sha256_of, write_file
from g2c.common.table_limits import MAX_TOKENIZER_JSON
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.encoding import JOURNAL, encode_corpus, working_folder
from g2c.corpus.inputs import CorpusInput, corpus_input
from g2c.corpus.recipes import NAMED_TOKENIZERS, artifact_name
from g2c.corpus.training import train_exact_corpus
from g2c.engine.exact import Ties, train_exact
from g2c.formats.artifact import artifact_folder, check_replaceable
from g2c.formats.tokenizer_json import json_bytes, parse_tokenizer, render_tokenizer
from g2c.tokenizer.base import BPEBase

TRAINED_FILE = "trained.json"
"""A checksum, and on the other lines a tokenizer, its recipe, and what manifest.json will say about the training."""

_PARTS = {
    "corpus": "another corpus, or one that has changed since",
    "vocab_size": "another vocabulary size",
    "pattern": "another pattern",
    "special_tokens": "other special tokens",
    "ties": "another rule for ties",
}
"""Part of a recipe -> what an error says when it differs."""

Corpus = str | os.PathLike[str] | Sequence[Path]
"""A corpus that can be read twice: a name, a path, or the paths of text files."""


def train_and_encode(
    corpus: Corpus,
    out: str | os.PathLike[str],
    vocab_size: int,
    *,
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] | Mapping[str, int] = (DOCUMENT_SEPARATOR,),
    ties: Ties = "first-seen",
    workers: int | None = None,
    cluster: str | os.PathLike[str] | None = None,
    resume: bool = True,
    progress: bool | None = None,
) -> Path:
    """Train a tokenizer on a corpus of any size, encode the corpus with it, and save both as an artifact.

    No code that students write is called. With a pattern, memory grows only with the number of distinct words, and all
    cores count them. Without one, the corpus has to fit into memory, about thirty times, and one core trains.

    Args:
        corpus: what `encode_corpus` takes, except for an iterable of documents: it is read twice.
        out: the artifact's name or folder, as for `save_artifact`. An artifact that is there is replaced at the end.
        vocab_size: the number of tokens: 256 bytes, special tokens and learned merges.
        pattern, special_tokens: as for `BPETokenizer`.
        ties: as for `train_exact`.
        workers, cluster: as for `encode_corpus`. Without a pattern they are used for the encoding only.
        resume: True continues interrupted work; False discards it and starts again.
        progress: True shows progress bars, False nothing, None bars in a terminal or notebook only.

    Returns:
        the artifact's folder.

    Raises:
        CorpusError: the corpus is missing, or not UTF-8.
        CourseError: `out` is the name of one of the course's own tokenizers; there is interrupted work with another
            corpus or other settings; or another process is training into the same folder.
        SavingError: the disk is full, the folder is read-only, ... The work done so far is kept.
        TypeError, ValueError: an argument is not valid.

    >>> import tempfile
    >>> from g2c.tokenizer import load_artifact
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = Path(folder, "corpus.txt")
    ...     _ = text.write_text("low lower lowest low lower low")
    ...     artifact = load_artifact(train_and_encode(text, folder + "/Low", 260, pattern="gpt2"))
    >>> [artifact.tokenizer.vocab[new_id] for new_id in artifact.tokenizer.merges.values()]
    [b'lo', b'low', b' low']
    >>> len(artifact.ids)
    13
    """
    tokenizer = BPEBase(special_tokens, pattern)
    tokenizer._check_training(vocab_size)
    if ties not in get_args(Ties):
        raise ValueError(f"ties is {ties!r}, but it must be one of {', '.join(get_args(Ties))}.")
    if isinstance(out, str) and artifact_name(out) in NAMED_TOKENIZERS:
        raise CourseError(f"{out} is the name of one of the course's own tokenizers. Choose another one.")
    folder = artifact_folder(out)
    check_replaceable(folder)
    source = corpus_input(corpus)
    recipe = {
        "corpus": [source.name, *source.state],
        "vocab_size": vocab_size,
        "pattern": tokenizer.pattern,
        "special_tokens": tokenizer.special_to_id,
        "ties": ties,
    }
    with _working_folder(folder, resume) as work:
        trained = _load_trained(work, recipe)
        if trained is None:
            if resume:
                _check_no_other_encoding(folder)
            method = _train(tokenizer, source, vocab_size, ties, workers, cluster, progress)
            content = {"recipe": recipe, "train": method, "tokenizer": render_tokenizer(tokenizer).decode()}
            data = json_bytes(content)
            write_file(work / TRAINED_FILE, [sha256_of(data).encode(), b"\n", data])
        else:
            tokenizer, method = trained
        encode_corpus(
            tokenizer, source, folder, workers=workers, cluster=cluster, train=method, resume=resume, progress=progress
        )
        shutil.rmtree(work, ignore_errors=True)
    return folder


@contextmanager
def _working_folder(folder: Path, resume: bool) -> Iterator[Path]:
    """The folder for the trained tokenizer, locked for this process. It is empty unless work is resumed."""
    with working_folder(folder, "training", "training a tokenizer") as work:
        if not resume:
            shutil.rmtree(work, ignore_errors=True)
        yield work


def _load_trained(work: Path, recipe: dict[str, Any]) -> tuple[BPEBase, dict[str, Any]] | None:
    """The tokenizer of an interrupted call, and how it was trained. None if there is none, or if it is damaged.

    Raises:
        CourseError: it was trained with another recipe.
    """
    path = work / TRAINED_FILE
    try:
        checksum, _, data = read_file(path, limit=4 * MAX_TOKENIZER_JSON).partition(b"\n")
    except (MissingFileError, FileFormatError):
        return None
    if checksum != sha256_of(data).encode():
        return None
    saved = json.loads(data)
    for part, value in recipe.items():
        if saved["recipe"].get(part) != json.loads(json.dumps(value)):
            raise CourseError(
                f"{work} contains interrupted work with {_PARTS[part]}. Repeat that call to continue "
                "it, or use resume=False (--again) to start again."
            )
    return parse_tokenizer(saved["tokenizer"].encode(), path, BPEBase), saved["train"]


def _check_no_other_encoding(folder: Path) -> None:
    """Raise CourseError, before a long training, if encoding into this folder would be refused after it."""
    other = folder.with_name(f".{folder.name}.encoding")
    if (other / JOURNAL).exists():
        raise CourseError(
            f"{other} contains interrupted work of encode_corpus with another tokenizer. Repeat that call to continue "
            "it, or use resume=False (--again) to start again."
        )


def _train(
    tokenizer: BPEBase,
    source: CorpusInput,
    vocab_size: int,
    ties: Ties,
    workers: int | None,
    cluster: str | os.PathLike[str] | None,
    progress: bool | None,
) -> dict[str, Any]:
    """Train the tokenizer. Returns what manifest.json says about it."""
    algorithm = "train_exact_corpus"
    if tokenizer.pattern is None:
        texts = list(source.texts())
        source.check_unchanged()
        train_exact(tokenizer, texts, vocab_size, ties=ties, progress=progress)
        if len(texts) == 1:
            # This tells `g2c verify` that the IDs are those of a single text.
            algorithm = "train_exact"
    else:
        train_exact_corpus(
            tokenizer, source, vocab_size, ties=ties, workers=workers, cluster=cluster, progress=progress
        )
    return {"algorithm": algorithm, "ties": ties, "vocab_size": vocab_size}
