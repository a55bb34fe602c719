"""Train or load the course's named tokenizers, which `g2c.corpus.recipes` lists.

Each is saved in `artifacts/tokenizers/NAME/`; `g2c.formats.artifact` describes the files.
"""

import warnings

from g2c.common.errors import FileFormatError, MissingFileError
from g2c.corpus.corpora import corpus_is_here, load_corpus
from g2c.corpus.documents import corpus_input
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.recipes import NAMED_TOKENIZERS, full_name
from g2c.corpus.training import train_exact_corpus
from g2c.formats.artifact import Artifact, artifact_folder, check_replaceable, save_artifact
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.forwarding import load_artifact
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS


def train(name: str, *, save_as: str | None = None, code: str | None = None, progress: bool | None = None) -> Artifact:
    """Train a named tokenizer, encode its corpus, and save both, replacing an existing artifact.

    Args:
        name: a name of `NAMED_TOKENIZERS`, or its short form, see `full_name`.
        save_as: the artifact's name; None for the tokenizer's own.
        code: whose code was found to agree with the engine, for train.code of manifest.json; None leaves it out.
        progress: as for `BPETokenizer.train`.

    Returns:
        the artifact, read back from disk.

    Raises:
        CourseError: there is no tokenizer of this name, or another process is encoding into the same folder.
        CorpusError: the corpus is not in the data folder. The message gives the command that fetches it.
        SavingError: the disk is full, the folder is read-only, ...
    """
    recipe = NAMED_TOKENIZERS[full_name(name)]
    artifact, size = save_as or recipe.name, recipe.vocab_size
    check_replaceable(artifact_folder(artifact))
    tokenizer = BPEBase(COURSE_SPECIAL_TOKENS, recipe.pattern)
    method = {"algorithm": "train_exact", "ties": "first-seen", "vocab_size": size}
    if code is not None:
        method["code"] = code
    if recipe.pattern is None:
        source = load_corpus(recipe.corpus, fallback=recipe.fallback)
        ids = tokenizer.train_exact(source.text, size, progress=progress)
        save_artifact(tokenizer, artifact, ids, corpus=source, train=method)
    else:
        documents = corpus_input(recipe.corpus)
        train_exact_corpus(tokenizer, documents, size, ties="lowest-id", progress=progress)
        method |= {"algorithm": "train_exact_corpus", "ties": "lowest-id"}
        encode_corpus(tokenizer, documents, artifact, train=method, resume=False, progress=progress)
    return load_artifact(artifact, mmap=True)


def train_or_load(name: str, *, progress: bool | None = None) -> Artifact:
    """Load a named tokenizer; if it does not exist or is damaged, train and save it first.

    A tokenizer that was trained on the fallback corpus is trained again once its own corpus is in the data folder.

    Raises:
        as `train`.
    """
    return load_current(name) or train(name, progress=progress)


def load_current(name: str) -> Artifact | None:
    """The saved artifact of a named tokenizer; None if `train_or_load` would train it.

    Raises:
        CourseError: there is no tokenizer of this name.
    """
    recipe = NAMED_TOKENIZERS[full_name(name)]
    try:
        artifact = load_artifact(recipe.name, mmap=True)
    except MissingFileError:
        return None
    except FileFormatError as error:
        warnings.warn(f"{error} The tokenizer is now trained again.", stacklevel=3)
        return None
    corpus = artifact.manifest["corpus"]
    is_fallback = corpus is not None and recipe.fallback is not None and corpus.get("name") == recipe.fallback
    return None if is_fallback and corpus_is_here(recipe.corpus) else artifact
