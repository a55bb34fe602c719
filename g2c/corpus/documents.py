"""Reading documents, one at a time: from a named corpus, or from files of text, JSON lines and parquet.

name, file or folder   ->   files, in a fixed order   ->   a reader by file type   ->   documents (str)

A document or line that is too long is refused with its file and its place there: see MAX_DOCUMENT_BYTES.

Encoding and training accept more as their `corpus`, and read it as UTF-8: text files, each of them one document of any
length, used byte for byte; and iterables of documents. See `corpus_input`.
"""

import codecs
import gzip
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, cast

from g2c.common.errors import CorpusError
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus, printable
from g2c.corpus.corpora import CORPORA, corpus_files, pydocs_topics, resolve_corpus, unreadable
from g2c.formats.token_ids import IDS_FILE

MAX_DOCUMENT_BYTES = 32 << 20
"""The longest document in a file, and the longest line of a file of JSON lines."""

CHECKED_BYTES = 64 << 10
"""How many bytes of a text file are read and checked at a time: so few that they stay in the processor's cache."""

_READ_BYTES = 1 << 18
_BATCH_ROWS, _BATCH_BYTES = 64, 4 << 20
"""How many rows of a parquet file are read at a time, and about how many bytes at most."""

_parse = json.JSONDecoder().raw_decode


def documents(name_or_path: str | os.PathLike[str], *, column: str = "text") -> Iterator[str]:
    """Yield the documents of a corpus in a fixed order, holding little more than one in memory at a time.

    `name_or_path` is a name of `CORPORA`, a file, or a folder, whose files are those of `document_files`. In a .txt
    file, documents are separated by `<|endoftext|>` and the line ends around it. Each line of a .jsonl, .ndjson or
    .json file is a JSON object with a document as "text"; in .parquet, each value of the column "text" is a document,
    or of `column`. Text and JSON may be compressed: .txt.gz, .jsonl.gz and so on. No document is empty.

    Raises CorpusError, which gives the file and the position in it, if nothing exists there, all files are empty, or a
    file has an unknown type, cannot be read, is not valid, or contains a document that is too long.

    >>> next(documents("pydocs")).startswith('The "assert" statement')
    True
    """
    yield from CorpusInput(os.fspath(name_or_path), document_files(name_or_path), column=column).documents()


def document_files(name_or_path: str | os.PathLike[str]) -> list[Path]:
    """List the files that `documents` reads, in order; an empty list for pydocs.

    A folder contributes all regular files of a known type in it and in its subfolders. Hidden files and folders, such
    as `.git`, are left out, and so are artifacts: the output of `g2c encode` is not part of its corpus.
    """
    if isinstance(name_or_path, str) and name_or_path in CORPORA:
        return corpus_files(name_or_path)
    path = Path(name_or_path)
    try:
        files = list(_files_in(path)) if (is_folder := path.is_dir()) else [path]
    except OSError as error:
        raise unreadable(Path(error.filename or path), error) from None
    types = f"the types are {', '.join(_READERS)}."
    if not files:
        raise CorpusError(f"There is no readable file in the folder {path}: {types}")
    if not is_folder and _state_of(path) and not _is_known(path):
        raise CorpusError(
            f"{path} has an unknown file type: {types} To read it as one text whatever it is, give --text, or "
            "corpus_input(path, as_text=True)."
        )
    return files


def _files_in(folder: Path) -> Iterator[Path]:
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in [] if folder / IDS_FILE in paths else paths:
        if path.is_dir() and not path.is_symlink():
            yield from _files_in(path)
        elif _is_known(path) and path.is_file():
            yield path


def _is_known(path: Path) -> bool:
    return path.name.lower().endswith(tuple(_READERS))


def _state_of(path: Path) -> tuple[int, ...]:
    """Return the size of a file and its other changing attributes. Raises CorpusError if it is not a regular file."""
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
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


# --- a corpus as UTF-8 ------------------------------------------------------------------------------------------------


class CorpusInput:
    """A corpus to encode or to train on, which remembers the state of its files.

    Its `size` is the bytes of its files or of a text, or None; `is_text` means that the text contains the separators of
    its documents already; `facts` are for manifest.json: a "column" other than "text", and the number of "texts".
    """

    def __init__(
        self, name: str, files: Sequence[Path] = (), given: Iterable[str] | None = None,
        *, column: str = "text", size: int | None = None, is_text: bool = False,
    ) -> None:  # fmt: skip
        """Remember the files, or the documents that were given. Without either, the corpus is pydocs."""
        self.name, self.is_text, self.column = printable(name), is_text, column
        self.facts: dict[str, str | int] = {} if column == "text" else {"column": column}
        if is_text and len(files) > 1:
            self.facts["texts"] = len(files)
        self._files, self._given = files, given
        self._states = list(map(_state_of, files))
        self.size = sum(size for size, *_ in self._states) if files else size
        if files and not self.size:
            raise self._nothing_found()
        self._bytes_before = 0
        self.offset: Callable[[], int] = int
        """Returns how many bytes of the present file have been read; those before it have `_bytes_before` bytes."""

    def documents(self) -> Iterator[str]:
        """Yield the documents. Those of files are checked, and not empty."""
        if self._files:
            return chain.from_iterable(self._batches())
        return iter(pydocs_topics() if self._given is None else self._given)

    def _batches(self) -> Iterator[list[str]]:
        self._bytes_before, found = 0, False
        for path, (size, *_) in zip(self._files, self._states):
            read = next(read for suffix, read in _READERS.items() if path.name.lower().endswith(suffix))
            try:
                for batch in read(path, self):
                    if kept := list(filter(None, batch)):
                        found = True
                        yield kept
            except (OSError, EOFError, zlib.error) as error:
                raise unreadable(path, error) from None
            self._bytes_before, self.offset = self._bytes_before + size, int
        if not found:
            raise self._nothing_found()

    def encoded(self, size: int = CHECKED_BYTES) -> Iterator[bytes | Iterator[bytes]]:
        """Yield the documents as UTF-8. A text file comes in parts of `size` bytes."""
        if self.is_text and self._files:
            yield from (_text_parts(path, size) for path in self._files)
            return
        for number, document in enumerate(self.documents(), start=1):
            try:
                data = document.encode()
            except AttributeError:
                kind = type(document).__name__
                raise TypeError(f"A document is a str, but {self.place(number)} is of type {kind}.") from None
            except UnicodeEncodeError as error:
                raise CorpusError(
                    f"{self.place(number)} contains a lone surrogate (U+{ord(document[error.start]):04X}) at character "
                    f"{error.start}: half of a surrogate pair, which UTF-8 cannot encode. Remove it."
                ) from None
            yield data

    def place(self, number: int) -> str:
        """Return the name of a document, counted from 1, for messages."""
        is_file = self.is_text and self._files
        return str(self._files[number - 1]) if is_file else f"document {number} of {self.name}"

    def _nothing_found(self) -> CorpusError:
        return CorpusError(f"There is no document in {self.name}: every file in it is empty.")

    def bytes_read(self) -> int | None:
        """Return how many bytes of its files have been read; None if it is text, whose bytes are counted anyway."""
        return None if self.is_text or not self._files else self._bytes_before + self.offset()

    def check_unchanged(self) -> None:
        """Raise CorpusError if a file has changed since this was made."""
        if list(map(_state_of, self._files)) != self._states:
            raise CorpusError(
                f"The corpus {self.name} was changed while it was being read. Start again when it is complete, "
                "with resume=False (--again)."
            )


CorpusArgument = str | os.PathLike[str] | Iterable[str] | Sequence[Path] | Corpus | CorpusInput
"""A name, a path, an iterable of documents, the paths of several files, or a text from `load_corpus`. See
`g2c.corpus.encoding.encode_corpus`."""


def corpus_input(corpus: CorpusArgument, *, column: str = "text", as_text: bool = False) -> CorpusInput:
    """Return the corpus that a caller's argument refers to. With `as_text`, files of any type are text files.

    Raises TypeError for an argument of another kind, and CorpusError if there is no such file or corpus, it cannot be
    read, or all files are empty.
    """
    if isinstance(corpus, CorpusInput):
        return corpus
    if isinstance(corpus, Corpus):
        return CorpusInput(corpus.name, given=[corpus.text], size=corpus.size, is_text=True)
    if isinstance(corpus, str) and corpus in CORPORA:
        name = resolve_corpus(corpus)
        return CorpusInput(name, corpus_files(name), column=column)
    if isinstance(corpus, (str, os.PathLike)):
        paths = [Path(corpus)]
    elif isinstance(corpus, (list, tuple)) and corpus and all(isinstance(path, Path) for path in corpus):
        paths = cast(list[Path], list(corpus))
    elif isinstance(corpus, (bytes, bytearray)) or not isinstance(corpus, Iterable):
        raise TypeError(f"A corpus is a name, a path or an iterable of str, not of type {type(corpus).__name__}.")
    else:
        return CorpusInput("documents", given=cast(Iterable[str], corpus))
    # The name of the folder "." is its own name.
    name = paths[0].name or paths[0].resolve().name
    if len(paths) > 1:
        name = f"{len(paths)} files, {name} to {paths[-1].name}"
    if as_text or all(path.name.lower().endswith(".txt") and not os.path.isdir(path) for path in paths):
        return CorpusInput(name, paths, is_text=True)
    return CorpusInput(name, [file for path in paths for file in document_files(path)], column=column)


# --- text files -------------------------------------------------------------------------------------------------------


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
        # `error.object` is the last part, after the incomplete character before it.
        raise _not_utf8(path, offset - len(error.object), error) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _decode(data: bytes, path: Path, start: int) -> str:
    """Decode bytes that begin at the offset `start` of a file."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(path, start, error) from None


def _not_utf8(path: Path, start: int, error: UnicodeDecodeError) -> CorpusError:
    place = f"byte {start + error.start} (0x{error.object[error.start]:02x})"
    return CorpusError(f"{path} is not UTF-8 text: {place} is not valid. Convert it to UTF-8, or fetch it again.")


def _open(path: Path, source: CorpusInput) -> BinaryIO:
    file = cast(BinaryIO, gzip.open(path)) if path.name.lower().endswith(".gz") else path.open("rb")
    source.offset = getattr(file, "fileobj", file).tell
    return file


def _text_documents(path: Path, source: CorpusInput) -> Iterator[list[str]]:
    """Split at separators, in bytes: in UTF-8 no character contains another's bytes."""
    separator = DOCUMENT_SEPARATOR.encode()
    pending, start = b"", 0  # The text that is not yet split, and its offset in the file.
    with _open(path, source) as file:
        while block := file.read(_READ_BYTES):
            complete, found, pending = (pending + block).rpartition(separator)
            if found:
                # The line ends around a separator belong to it.
                first, *others = _decode(complete, path, start).split(DOCUMENT_SEPARATOR)
                first = first.rstrip("\r\n")
                yield [first.lstrip("\r\n") if start else first, *(text.strip("\r\n") for text in others)]
                start += len(complete) + len(separator)
            if len(pending) > MAX_DOCUMENT_BYTES:
                begin = pending[:40].decode(errors="replace")
                raise CorpusError(
                    f"{path}: the document that begins with {begin!r} has more than {MAX_DOCUMENT_BYTES:,} bytes. "
                    f"Split it with {DOCUMENT_SEPARATOR}, or leave it out."
                )
        text = _decode(pending, path, start)
        yield [text.lstrip("\r\n") if start else text]


# --- JSON lines and parquet -------------------------------------------------------------------------------------------


def _json_documents(path: Path, source: CorpusInput) -> Iterator[list[str]]:
    start = size = 0
    batch: list[str] = []
    with _open(path, source) as file:
        for number, line in enumerate(iter(partial(file.readline, MAX_DOCUMENT_BYTES + 1), b""), start=1):
            if start == 0 and line.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
                raise CorpusError(
                    f"{path}, line {number}: expected a JSON object in each line, but this is an array. Write each of "
                    f"its elements into a line: jq -c '.[]' {path.name} > lines.jsonl"
                )
            if len(line) > MAX_DOCUMENT_BYTES:
                raise CorpusError(
                    f"{path}, line {number}: the line has more than {MAX_DOCUMENT_BYTES:,} bytes. Split its document."
                )
            text = _decode(line, path, start).strip(" \t\r\n")
            # Some programs write a byte order mark at the beginning of a file, which JSON does not allow.
            text = text if start else text.removeprefix("\ufeff")
            start += len(line)
            size += len(line)
            if text:
                batch.append(_document_in(text, source.column, path, number))
            if size >= _READ_BYTES:
                yield batch
                batch, size = [], 0
        yield batch


def _document_in(line: str, column: str, path: Path, number: int) -> str:
    """Return the document in a line."""
    try:
        # `json.loads` does the same, and takes twice as long for a short line.
        record, end = _parse(line)
        if end < len(line):
            raise json.JSONDecodeError("Extra data", line, end)
    except (ValueError, RecursionError) as error:
        raise CorpusError(
            f"{path}, line {number}: not valid JSON ({error}). Each line has to be a JSON object."
        ) from None
    document = record.get(column) if isinstance(record, dict) else None
    if not isinstance(document, str):
        has = _choice(record) if isinstance(record, dict) and column not in record else ""
        raise CorpusError(
            f'{path}, line {number}: expected a JSON object whose "{printable(column)}" is a string.{has}'
        )
    return document


def _choice(names: Iterable[str]) -> str:
    """List a few of the columns that exist."""
    first = [printable(name, longest=40) for name in islice(names, 11)]
    more = " and more" if len(first) > 10 else ""
    return f" It has {', '.join(first[:10]) or 'nothing'}{more}; choose one with --column, or column=."


def _parquet_documents(path: Path, source: CorpusInput) -> Iterator[list[str]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise CorpusError(f"Reading {path} needs pyarrow. Install it with: {install_command('pyarrow')}") from None
    row, size, column = 0, path.stat().st_size, source.column
    try:
        # Without these two settings, pyarrow eventually keeps the whole file in memory.
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES) as table:
            if column not in table.schema_arrow.names:
                has = _choice(table.schema_arrow.names)
                raise CorpusError(f'{path} has no column "{printable(column)}".{has}')
            about, rows = table.metadata, max(1, table.metadata.num_rows)
            source.offset = lambda: size * row // rows
            in_memory = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
            at_once = max(1, min(_BATCH_ROWS, _BATCH_BYTES * rows // max(1, in_memory)))
            for batch in table.iter_batches(batch_size=at_once, columns=[column]):
                documents = []
                for value in batch.column(0):
                    document = value.as_py()
                    if not isinstance(document, str):
                        raise CorpusError(f'{path}, row {row}: "{printable(column)}" is not a string.')
                    if 4 * len(document) > MAX_DOCUMENT_BYTES < (length := len(document.encode())):
                        raise CorpusError(
                            f"{path}, row {row}: the document has {length:,} bytes, which exceeds the "
                            f"{MAX_DOCUMENT_BYTES:,}-byte limit."
                        )
                    documents.append(document)
                    row += 1
                yield documents
    except (pyarrow.ArrowException, ValueError) as error:
        problem = str(error).partition("\n")[0] or type(error).__name__
        raise CorpusError(f"{path} is damaged from row {row} on, or not a parquet file ({problem}).") from None


_READERS: dict[str, Callable[[Path, CorpusInput], Iterator[list[str]]]] = {
    **dict.fromkeys([".txt", ".txt.gz"], _text_documents),
    **dict.fromkeys([".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz"], _json_documents),
    ".parquet": _parquet_documents,
}
