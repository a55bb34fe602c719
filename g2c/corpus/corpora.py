"""Named corpora, tables and tokenizers: where each file is published, whether it is here, and its content.

corpora.toml is the only list of files to fetch. datasets.sh uses it before anything is installed, so this module needs
only the standard library. documents.py reads a corpus as documents, and named_tokenizers.py trains the tokenizers.
"""

import hashlib
import os
import tomllib
import warnings
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

from coach.common.errors import CourseError, did_you_mean
from coach.common.files import sha256_of
from coach.common.paths import data_folder
from g2c.common.errors import CorpusError
from g2c.common.text import Corpus


@dataclass(frozen=True)
class RemoteFile:
    """A file that can be fetched: see corpora.toml."""

    file: str
    url: str
    size: int
    sha256: str | None = None
    package: str = ""
    member: str = ""


@dataclass(frozen=True)
class Dataset:
    """A named corpus or table, and its files in order."""

    description: str
    files: tuple[RemoteFile, ...]


_LISTED = tomllib.loads(Path(__file__).with_name("corpora.toml").read_text(encoding="utf-8"))
_FILES = {entry["file"]: RemoteFile(**entry) for entry in _LISTED["files"]}
CORPORA, TABLES = (
    {
        name: Dataset(entry["description"], tuple(_FILES[file] for file in entry["files"]))
        for name, entry in _LISTED[kind].items()
    }
    for kind in ("corpora", "tables")
)
"""The corpora, and the tables of published tokenizers (for published_tokenizers.py), by name."""


@dataclass(frozen=True)
class NamedTokenizer:
    """A tokenizer of the course, which has the course's special tokens; `fallback` replaces a missing corpus.

    Without a pattern, the corpus is one text, and among equally frequent pairs the first one seen is merged. With one,
    it is documents, each followed by the ID of <|endoftext|> in ids.uint32, and the merges equal those of `train_fast`.
    """

    name: str
    corpus: str
    vocab_size: int
    pattern: str | None
    fallback: str | None = None


_TOKENIZERS = (
    # The milestone of module 04; short stories, for the first language model; stories and web text, for chat.
    NamedTokenizer("ShakespeareTokenizer", "tinyshakespeare", 4096, None, fallback="pydocs"),
    NamedTokenizer("StoryTokenizer", "tinystories", 8192, "gpt4"),
    NamedTokenizer("G2CTokenizer", "g2c", 16384, "gpt4"),
)
NAMED_TOKENIZERS = {tokenizer.name: tokenizer for tokenizer in _TOKENIZERS}
"""Name -> the tokenizer."""


def full_name(name: str) -> str:
    """Return the full name of a tokenizer: "ShakespeareTokenizer" for "shakespeare" or itself, else CourseError."""
    full = artifact_name(name)
    if full not in NAMED_TOKENIZERS:
        names = [one.removesuffix("Tokenizer").lower() for one in NAMED_TOKENIZERS]
        meant = did_you_mean(name, names)
        raise CourseError(f"There is no tokenizer named {name!r}; the names are {', '.join(names)}.{meant}")
    return full


def artifact_name(name: str) -> str:
    """Return the full name of one of the course's tokenizers, and any other name or folder unchanged."""
    full_names = {full.lower().removesuffix("tokenizer"): full for full in NAMED_TOKENIZERS}
    return full_names.get(name.lower().removesuffix("tokenizer"), name)


# --- files in the data folder -----------------------------------------------------------------------------------------


def resolve_corpus(name: str) -> str:
    """Return the corpus that a name refers to: "g2c" is g2c-full if that is in the data folder, else g2c-small."""
    if name not in CORPORA:
        meant = did_you_mean(name, CORPORA)
        raise CorpusError(f"There is no corpus named {name!r}; the names are {', '.join(CORPORA)}.{meant}")
    if name == "g2c":
        return "g2c-full" if corpus_is_here("g2c-full") else "g2c-small"
    return name


def corpus_is_here(name: str) -> bool:
    """Tell whether every file of the corpus is in the data folder. Their contents are not checked."""
    return files_are_here(CORPORA[resolve_corpus(name)])


def files_are_here(entry: Dataset) -> bool:
    """Tell whether every file is in the data folder."""
    return all((data_folder() / source.file).is_file() for source in entry.files)


def corpus_files(name: str) -> list[Path]:
    """Return the files of a corpus or a table in order; an empty list for pydocs, which is part of Python.

    Raises CorpusError with the command that fetches them if a file is missing.
    """
    entry = TABLES.get(name) or CORPORA[resolve_corpus(name)]
    paths = [data_folder() / source.file for source in entry.files]
    for path in paths:
        if not path.is_file():
            raise CorpusError(f"{name} is not here ({path} is missing). Fetch it with: ./datasets.sh {name}")
    return paths


# --- what is in them --------------------------------------------------------------------------------------------------


def load_corpus(name: str, *, fallback: str | None = None) -> Corpus:
    """Read a corpus of one text into memory, such as tinyshakespeare, after checking that it is the published file.

    If it cannot be used, `fallback` is read instead, with a warning; "pydocs" always works. Raises CorpusError if the
    corpus is missing, not the published file, or not a single text.
    """
    try:
        resolved = resolve_corpus(name)
        if len(CORPORA[resolved].files) > 1:
            raise CorpusError(f"The corpus {name} is a stream of documents, not one text: use documents({name!r}).")
        [data] = read_table(resolved) or ["\n\n".join(pydocs_topics()).encode()]
    except CorpusError as error:
        if fallback is None:
            raise
        warnings.warn(f"The course uses the corpus {fallback} instead. {error}", stacklevel=2)
        return load_corpus(fallback)
    return Corpus(resolved, data.decode(), len(data), sha256_of(data))


def read_table(name: str) -> list[bytes]:
    """Read the files of a table or a corpus. Raises CorpusError if one is missing, or is not the published one."""
    paths, entry = corpus_files(name), TABLES.get(name) or CORPORA[name]
    for path, source in zip(paths, entry.files):
        if problem := problem_of(path, source):
            raise CorpusError(
                f"{path} is not the published file: {problem}. "
                f"./datasets.sh {name} keeps it under another name and fetches the right one."
            )
    return [path.read_bytes() for path in paths]


def pydocs_topics() -> list[str]:
    """Return the documents of pydocs: the topics of the standard library's `pydoc_data`, sorted by name."""
    return [topics[topic] for topic in sorted(topics)]


def problem_of(path: Path, source: RemoteFile) -> str | None:
    """Say why a file is not the published one, as the end of a sentence; None if it is.

    Without a published checksum it must be a parquet file of about the expected size. Raises OSError if there is no
    such file, or it cannot be read.
    """
    size, expected = path.stat().st_size, source.size
    with path.open("rb") as file:
        if source.sha256 is None:
            if not expected <= 2 * size <= 4 * expected:
                return f"the file has the wrong size ({size:,} bytes, not about {expected:,})"
            start = file.read(4)
            file.seek(-4, os.SEEK_END)
            return None if start == file.read() == b"PAR1" else "the file is not a complete parquet file"
        if size != expected:
            return f"the file has the wrong size ({size:,} bytes, not {expected:,})"
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    return None if actual == source.sha256 else f"the file has the wrong checksum ({actual[:12]}…)"
