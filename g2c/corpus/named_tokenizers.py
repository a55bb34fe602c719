"""From a corpus to an artifact: train a tokenizer, encode the corpus, and save both.

    corpus  --train_exact_corpus-->  tokenizer  --encode_corpus-->  artifacts/tokenizers/NAME/

`train_or_load` makes the course's own tokenizers, which corpora.py lists, and `train_and_encode` makes one for any
other corpus. The same corpus and settings always give the same tokenizer.
"""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coach.common.errors import CourseError, FileFormatError, MissingFileError
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import NAMED_TOKENIZERS, NamedTokenizer, artifact_name, corpus_is_here, full_name, load_corpus
from g2c.corpus.documents import CorpusArgument, CorpusInput
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.training import train_exact_corpus
from g2c.engine.exact import Ties, check_training
from g2c.formats.artifact import Artifact, artifact_folder, check_replaceable
from g2c.tokenizer.above import load_artifact
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS


def train_and_encode(
    corpus: CorpusArgument,
    out: str | os.PathLike[str],
    vocab_size: int,
    *,
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] | Mapping[str, int] = (DOCUMENT_SEPARATOR,),
    ties: Ties = "first-seen",
    workers: int | None = None,
    facts: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Path:
    """Train a tokenizer on a corpus of any size, encode the corpus with it, and save both as an artifact.

    Args:
        corpus: as for `encode_corpus`, except for an iterator over documents, because the corpus is read twice.
        out: the artifact's name or folder, as for `save_artifact`. An existing artifact is replaced at the end.
        vocab_size, pattern, special_tokens, ties: as for `BPETokenizer` and its `train_exact`.
        facts: further entries for the part "train" of manifest.json.
        workers, progress: as for `encode_corpus`.

    Returns the artifact's folder. Raises what `encode_corpus` raises, and CourseError if `out` is the name of one of
    the course's own tokenizers.
    """
    tokenizer = BPEBase(special_tokens, pattern)
    check_training(tokenizer, vocab_size, ties)
    folder = artifact_folder(artifact_name(out) if isinstance(out, str) else out)
    if isinstance(out, str) and folder.resolve() in {artifact_folder(name).resolve() for name in NAMED_TOKENIZERS}:
        raise CourseError(f"{out} is the place of one of the course's own tokenizers. Choose another one.")
    check_replaceable(folder)
    source = CorpusInput.of(corpus)
    train_exact_corpus(tokenizer, source, vocab_size, ties=ties, workers=workers, progress=progress)
    # `g2c verify` relies on the first name for a single text.
    algorithm = "train_exact" if pattern is None and source.is_text else "train_exact_corpus"
    method = {"algorithm": algorithm, "ties": ties, "vocab_size": vocab_size, **(facts or {})}
    return encode_corpus(tokenizer, source, folder, workers=workers, train=method, progress=progress)


def train(name: str, *, save_as: str | None = None, code: str | None = None, progress: bool | None = None) -> Artifact:
    """Train one of the course's own tokenizers, encode its corpus, and save both, replacing an existing artifact.

    `name` may be short (see `full_name`), `save_as` is the artifact's name if it is another one, and `code` says whose
    code agrees with the engine, for train.code of manifest.json. Raises what `encode_corpus` raises.
    """
    recipe = NAMED_TOKENIZERS[full_name(name)]
    folder = train_and_encode(
        recipe.corpus if recipe.pattern else load_corpus(recipe.corpus, fallback=recipe.fallback),
        artifact_folder(save_as or recipe.name),
        recipe.vocab_size,
        pattern=recipe.pattern,
        special_tokens=COURSE_SPECIAL_TOKENS,
        ties="lowest-id" if recipe.pattern else "first-seen",
        facts={} if code is None else {"code": code},
        progress=progress,
    )
    return load_artifact(folder, mmap=True)


def train_or_load(name: str, *, progress: bool | None = None) -> Artifact:
    """Load one of the course's own tokenizers; if it is missing or outdated, train and save it first, as `train` does.

    It is outdated if it is damaged, if the recipe in corpora.py has changed since, or if it is of the fallback corpus,
    and its own corpus is in the data folder by now. A warning says why it is trained again.
    """
    return load_current(name) or train(name, progress=progress)


def load_current(name: str) -> Artifact | None:
    """Load one of the course's own tokenizers; None if `train_or_load` would train it."""
    recipe = NAMED_TOKENIZERS[full_name(name)]
    try:
        artifact = load_artifact(recipe.name, mmap=True)
        problem = _change_since(recipe, artifact)
    except MissingFileError:
        return None
    except FileFormatError as error:
        problem = str(error)
    if not problem:
        return artifact
    warnings.warn(f"{problem} The tokenizer is now trained again.", stacklevel=3)
    return None


def _change_since(recipe: NamedTokenizer, artifact: Artifact) -> str:
    """Say in a sentence in what an artifact does not follow its recipe; "" if it does."""
    tokenizer, _, manifest, _ = artifact
    right = BPEBase(COURSE_SPECIAL_TOKENS, recipe.pattern)
    corpus = (manifest["corpus"] or {}).get("name", recipe.corpus)
    is_g2c = recipe.corpus == "g2c" and corpus in ("g2c-small", "g2c-full")
    is_fallback = corpus == recipe.fallback and not corpus_is_here(recipe.corpus)
    agrees = {
        "vocab_size": manifest["train"].get("vocab_size", tokenizer.vocab_size) == recipe.vocab_size,
        "pattern": tokenizer.pattern == right.pattern,
        "special_tokens": tokenizer.special_to_id == right.special_to_id,
        "corpus": corpus == recipe.corpus or is_g2c or is_fallback,
    }
    others = " and ".join(name for name, is_same in agrees.items() if not is_same)
    return f"{recipe.name} was trained with another {others} than its recipe has now." if others else ""
