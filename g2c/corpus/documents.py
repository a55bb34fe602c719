"""Reading documents, one at a time: from a named corpus, or from .txt, .jsonl and .parquet files.

name, file or folder   ->   files, in a fixed order   ->   a reader by file type   ->   documents (str)

A document or line that is too long to be one is refused, with the file and the place in it: see MAX_DOCUMENT_BYTES.

Encoding and training take more as their `corpus`, and use it as UTF-8, see `corpus_input`: text files, each of them one
document of any length, used byte for byte; and iterables of documents.
"""

import codecs
import gzip
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from g2c.common.errors import CorpusError
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus
from g2c.corpus.corpora import CORPORA, corpus_files, not_utf8, pydocs_topics, resolve_corpus, unreadable
from g2c.formats.token_ids import IDS_FILE

MAX_DOCUMENT_BYTES = 32 << 20
"""The longest document in a file, and the longest line of a .jsonl file."""

_READ_BYTES = 1 << 20
_BATCH_ROWS = 64


def documents(name_or_path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the documents of a corpus in a fixed order, holding one document in memory at a time.

    Args:
        name_or_path: a name of `CORPORA`; or a file, or a folder, of which all files of these types are taken, sorted,
            as `document_files` lists them. Files:
            .txt: documents separated by `<|endoftext|>` and the line ends around it; without any separator the file
            is one document. .jsonl: one JSON object per line, whose "text" is a document.
            .parquet: each value of the column "text" is a document. Text and JSON also as .txt.gz and .jsonl.gz.

    Yields:
        str, never empty.

    Raises:
        CorpusError: nothing exists there, all files are empty, or a file has an unknown type, cannot be read, is not
            valid or contains a document that is too long. The message gives the file and the position in it.

    >>> next(documents("pydocs")).startswith('The "assert" statement')
    True
    """
    yield from _documents_in(os.fspath(name_or_path), document_files(name_or_path))


def document_files(name_or_path: str | os.PathLike[str]) -> list[Path]:
    """List the files that `documents` reads, in this order; an empty list for pydocs.

    Of a folder these are all regular files of a known type, also in folders in it. Left out are hidden files and
    folders, such as `.git`, and the folders of artifacts: what `g2c encode` writes is not part of its corpus.

    Raises CorpusError if nothing exists there, a folder cannot be read, or a file has an unknown type.
    """
    if isinstance(name_or_path, str) and name_or_path in CORPORA:
        return corpus_files(name_or_path)
    path = Path(name_or_path)
    try:
        if path.is_dir():
            return _files_in(path)
    except OSError as error:
        raise unreadable(Path(error.filename or path), error) from None
    _state_of(path)
    if not _is_known(path):
        raise CorpusError(f"{path} has an unknown file type: {_FILE_TYPES}.")
    return [path]


def _state_of(path: Path) -> tuple[int, int]:
    """Return the size of a file and when it was changed. Raises CorpusError if it is not a regular file."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: the path contains a zero byte.
        raise CorpusError(
            f"There is no file or folder {str(path)!r}; the named corpora, each given alone, are {', '.join(CORPORA)}."
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise CorpusError(f"{path} is not a regular file. Save its content as a file first.")
    return status.st_size, status.st_mtime_ns


def _files_in(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        raise error

    found = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        if IDS_FILE in names:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        files = (Path(parent, name) for name in names if not name.startswith("."))
        found += [file for file in files if _is_known(file) and file.is_file()]
    if not found:
        raise CorpusError(f"There is no readable file in the folder {folder}: {_FILE_TYPES}.")
    return sorted(found)


def _is_known(path: Path) -> bool:
    return path.name.lower().endswith(tuple(_READERS))


def _documents_in(name: str, files: list[Path]) -> Iterator[str]:
    """Yield the documents in the files of a corpus, as `document_files` lists them."""
    found = False
    for document in chain.from_iterable(map(_read, files)) if files else pydocs_topics():
        if document:
            found = True
            yield document
    if not found:
        raise CorpusError(f"There is no document in {name}: every file in it is empty.")


def _read(path: Path) -> Iterator[str]:
    reader = next(reader for suffix, reader in _READERS.items() if path.name.lower().endswith(suffix))
    try:
        yield from reader(path)
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from None


# --- text files -------------------------------------------------------------------------------------------------------


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.name.lower().endswith(".gz") else path.open("rb")


def _text_documents(path: Path) -> Iterator[str]:
    """Split at separators, in bytes: in UTF-8 no character contains another's bytes."""
    separator = DOCUMENT_SEPARATOR.encode()
    pending = b""
    start = 0  # offset of `pending` in the file
    is_open = True
    with _open(path) as file:
        while is_open:
            block = file.read(_READ_BYTES)
            is_open = bool(block)
            *complete, pending = (pending + block).split(separator)
            for data in complete:
                # The line ends around a separator belong to it.
                text = _decode(data, path, start).rstrip("\r\n")
                yield text.lstrip("\r\n") if start else text
                start += len(data) + len(separator)
            if len(pending) > MAX_DOCUMENT_BYTES:
                begin = pending[:40].decode(errors="replace")
                raise CorpusError(
                    f"{path}: the document that begins with {begin!r} has more than {MAX_DOCUMENT_BYTES:,} bytes. "
                    f"Split it with {DOCUMENT_SEPARATOR}, or leave it out."
                )
    text = _decode(pending, path, start)
    yield text.lstrip("\r\n") if start else text


def _decode(data: bytes, path: Path, start: int) -> str:
    """Decode bytes of the file `path` that begin at its offset `start`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, start + error.start, data[error.start]) from None


# --- JSON lines -------------------------------------------------------------------------------------------------------


def _jsonl_documents(path: Path) -> Iterator[str]:
    start = number = 0
    with _open(path) as file:
        while line := file.readline(MAX_DOCUMENT_BYTES + 1):
            number += 1
            place = f"{path}, line {number}"
            if len(line) > MAX_DOCUMENT_BYTES:
                raise CorpusError(f"{place}: the line has more than {MAX_DOCUMENT_BYTES:,} bytes. Split its document.")
            text = _decode(line, path, start)
            # Some programs write a byte order mark at the beginning of a file, which JSON does not allow.
            text = text if start else text.removeprefix("\ufeff")
            start += len(line)
            if text and not text.isspace():
                yield _document_in(text, place)


def _document_in(line: str, place: str) -> str:
    """Return the document in a line. `place` is its file and number, for error messages."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{place}: not valid JSON ({error}).") from None
    document = record.get("text") if isinstance(record, dict) else None
    if not isinstance(document, str):
        raise CorpusError(f'{place}: expected a JSON object whose "text" is a string.')
    return document


# --- parquet ----------------------------------------------------------------------------------------------------------


def _parquet_documents(path: Path) -> Iterator[str]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise CorpusError(f"Reading {path} needs pyarrow. Install it with: {install_command('pyarrow')}") from None
    row = 0
    try:
        # Without these two settings, pyarrow eventually keeps the whole file in memory.
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES) as table:
            if "text" not in table.schema_arrow.names:
                columns = ", ".join(table.schema_arrow.names)
                raise CorpusError(f'{path} has no column "text"; its columns are {columns}.')
            for batch in table.iter_batches(batch_size=_BATCH_ROWS, columns=["text"]):
                for value in batch.column(0):
                    yield _document_of(value.as_py(), f"{path}, row {row}")
                    row += 1
    except (pyarrow.ArrowException, ValueError) as error:
        problem = str(error).partition("\n")[0] or type(error).__name__
        raise CorpusError(f"{path} is damaged from row {row} on, or not a parquet file ({problem}).") from None


def _document_of(value: object, place: str) -> str:
    """Return the value of a row, which has to be a string of limited length."""
    if not isinstance(value, str):
        raise CorpusError(f'{place}: "text" is not a string.')
    size = len(value.encode())
    if size > MAX_DOCUMENT_BYTES:
        raise CorpusError(
            f"{place}: the document has {size:,} bytes, which exceeds the {MAX_DOCUMENT_BYTES:,}-byte limit."
        )
    return value


_READERS: dict[str, Callable[[Path], Iterator[str]]] = {
    ".txt": _text_documents,
    ".txt.gz": _text_documents,
    ".jsonl": _jsonl_documents,
    ".jsonl.gz": _jsonl_documents,
    ".parquet": _parquet_documents,
}
_FILE_TYPES = "the types are " + ", ".join(_READERS)


# --- a corpus as UTF-8 ------------------------------------------------------------------------------------------------

_CHECKED_BYTES = 64 << 10
"""The number of bytes that are read and checked at a time: so few that they stay in the processor's cache."""


class CorpusInput:
    """The `corpus` argument of encoding and training, which remembers the size and time of its files.

    Attributes:
        name: for manifest.json and messages.
        size: in bytes; None if it is unknown.
        is_text: whether the corpus consists of text files, whose text contains the separators of documents already.
    """

    def __init__(
        self, name: str, files: list[Path], read: Callable[[], Iterable[str]] | None = None, *, is_text: bool = False
    ) -> None:
        """Remember the files behind the corpus.

        `read` returns the documents; None for text files, each of which is one document, used byte for byte.
        """
        self.name = name
        self.is_text = is_text or read is None
        self._files, self._read = files, read
        self._states = list(map(_state_of, files))
        self.size = sum(size for size, _ in self._states) if read is None else None

    def documents(self, size: int = _CHECKED_BYTES) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield each document: its name for messages, and its text as UTF-8, in parts of at most `size` bytes."""
        size = min(size, _CHECKED_BYTES)
        if self._read is None:
            for path in self._files:
                yield str(path), _text_parts(path, size)
        else:
            for number, document in enumerate(self._read(), 1):
                name = f"document {number} of {self.name}"
                data = _encode(document, name)
                yield name, [data[begin : begin + size] for begin in range(0, max(1, len(data)), size)]

    def check_unchanged(self) -> None:
        """Raise CorpusError if a file was changed since this was made."""
        if list(map(_state_of, self._files)) != self._states:
            raise CorpusError(
                f"The corpus {self.name} was changed while it was being read. Start again when it is complete, "
                "with resume=False (--again)."
            )


CorpusArgument = str | os.PathLike[str] | Iterable[str] | Sequence[Path] | Corpus | CorpusInput
"""A name, a path, an iterable of documents, the paths of several files, or a text from `load_corpus`. See
`g2c.corpus.encoding.encode_corpus`."""


def corpus_input(corpus: CorpusArgument) -> CorpusInput:
    """Return the corpus that the argument of a caller refers to. A `CorpusInput` is returned as it is.

    Raises TypeError for an argument of another kind, and CorpusError if a file or named corpus does not exist or cannot
    be read.
    """
    if isinstance(corpus, CorpusInput):
        return corpus
    if isinstance(corpus, Corpus):
        text = CorpusInput(corpus.name, [], lambda: [corpus.text], is_text=True)
        text.size = corpus.size
        return text
    if isinstance(corpus, str) and corpus in CORPORA:
        name = resolve_corpus(corpus)
        return _of_documents(name, name)
    if isinstance(corpus, (str, os.PathLike)):
        path = Path(corpus)
        try:
            is_text = path.is_file() and _is_text(path)
        except OSError as error:
            raise unreadable(path, error) from None
        # The name of the folder "." is its own name.
        name = path.name or path.resolve().name
        return CorpusInput(name, [path]) if is_text else _of_documents(name, path)
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(path, Path) for path in corpus):
        paths = cast(list[Path], list(corpus))
        name = paths[0].name if len(paths) == 1 else f"{len(paths)} files, {paths[0].name} to {paths[-1].name}"
        return CorpusInput(name, paths) if all(map(_is_text, paths)) else _of_documents(name, *paths)
    if isinstance(corpus, (bytes, bytearray)) or not isinstance(corpus, Iterable):
        raise TypeError(f"A corpus is a name, a path or an iterable of str, not of type {type(corpus).__name__}.")
    stream = cast(Iterable[str], corpus)
    return CorpusInput("documents", [], lambda: stream)


def _is_text(path: Path) -> bool:
    """Tell by its name whether a file is one document."""
    return not path.name.lower().endswith((".gz", ".jsonl", ".parquet"))


def _of_documents(name: str, *sources: str | Path) -> CorpusInput:
    files = [path for source in sources for path in document_files(source)]
    return CorpusInput(name, files, lambda: _documents_in(name, files))


def _text_parts(path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of a text file in parts of `size` bytes. Raises CorpusError if it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    try:
        with path.open("rb") as file:
            while part := file.read(size):
                offset += len(part)
                decoder.decode(part)
                yield part
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        # `error.object` is the last part and what was left of a character before it.
        place = offset - len(error.object) + error.start
        raise not_utf8(path, place, error.object[error.start]) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _encode(document: str, name: str) -> bytes:
    if not isinstance(document, str):
        raise TypeError(f"A document is a str, but {name} is of type {type(document).__name__}.")
    try:
        return document.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"{name} contains a lone surrogate (U+{ord(document[error.start]):04X}) at character {error.start}: "
            "half of a surrogate pair, which UTF-8 cannot encode. Remove it."
        ) from None
