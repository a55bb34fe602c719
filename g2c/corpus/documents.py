"""Reading documents, one at a time: from a named corpus, or from .txt, .jsonl and .parquet files.

name, file, folder or glob   ->   files, in a fixed order   ->   a reader by file type   ->   documents (str)

A document or line that is too long to be one is refused, with the file and the place in it: see MAX_DOCUMENT_BYTES.
"""

import glob
import gzip
import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from g2c.common.errors import CorpusError
from g2c.common.files import exists
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import CORPORA, corpus_files, not_utf8, pydocs_topics, unreadable

MAX_DOCUMENT_BYTES = 32 << 20
"""The longest document in a file, and the longest line of a .jsonl file."""

_BLOCK = 1 << 20
_BATCH_ROWS = 64
_IDS_FILE = "ids.uint32"
_SURROGATE = re.compile("[\ud800-\udfff]")


def documents(name_or_path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the documents of a corpus in a fixed order, holding one document in memory at a time.

    Args:
        name_or_path: a name of `CORPORA`; or a file, a folder or a glob. Of a folder, all files of these types are
            taken, sorted, as `document_files` lists them. Files:
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
    found = False
    for document in _all_documents(name_or_path):
        if document:
            found = True
            yield document
    if not found:
        raise CorpusError(f"There is no document in {os.fspath(name_or_path)}: every file in it is empty.")


def document_files(name_or_path: str | os.PathLike[str]) -> list[Path]:
    """The files that `documents` reads, in this order; an empty list for pydocs.

    Of a folder these are all regular files of a known type, also in folders in it. Left out are hidden files and
    folders, such as `.git`, and the folders of artifacts: what `g2c encode` writes is not part of its corpus.

    Raises:
        CorpusError: nothing exists there, a folder cannot be read, or a file has an unknown type.
    """
    if isinstance(name_or_path, str) and name_or_path in CORPORA:
        return corpus_files(name_or_path)
    path = Path(name_or_path)
    try:
        if path.is_dir():
            return _files_in(path)
        files = [path] if exists(path) else sorted(Path(match) for match in glob.glob(str(path), recursive=True))
        for file in files:
            if not _is_known(file):
                raise CorpusError(f"{file} has an unknown file type: {_FILE_TYPES}.")
            if not stat.S_ISREG(file.stat().st_mode):
                raise CorpusError(f"{file} is not a regular file. Save its content as a file first.")
    except OSError as error:
        raise unreadable(Path(error.filename or path), error) from None
    if not files:
        raise CorpusError(
            f"There is no corpus, file or folder {os.fspath(name_or_path)!r}; "
            f"the named corpora are {', '.join(CORPORA)}."
        )
    return files


def _files_in(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        raise error

    found = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        if _IDS_FILE in names:
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


def _all_documents(name_or_path: str | os.PathLike[str]) -> Iterator[str]:
    if name_or_path == "pydocs":
        yield from pydocs_topics()
        return
    for path in document_files(name_or_path):
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
            block = file.read(_BLOCK)
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
    """The document in a line. `place` is its file and number, for error messages."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{place}: not valid JSON ({error}).") from None
    document = record.get("text") if isinstance(record, dict) else None
    if not isinstance(document, str):
        raise CorpusError(f'{place}: expected a JSON object whose "text" is a string.')
    surrogate = _SURROGATE.search(document)
    if surrogate:
        raise CorpusError(
            f'{place}: character {surrogate.start()} of "text" is a lone surrogate '
            f"(\\u{ord(surrogate[0]):04x}), half of a surrogate pair. Remove the line, or add the other half."
        )
    return document


# --- parquet ----------------------------------------------------------------------------------------------------------


def _parquet_documents(path: Path) -> Iterator[str]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise CorpusError(f"Reading {path} needs pyarrow. Install it with: {install_command('corpora')}") from None
    row = 0
    try:
        # Without these two settings, pyarrow eventually keeps the whole file in memory.
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BLOCK) as table:
            if "text" not in table.schema_arrow.names:
                columns = ", ".join(table.schema_arrow.names)
                raise CorpusError(f'{path} has no column "text"; its columns are {columns}.')
            for batch in table.iter_batches(batch_size=_BATCH_ROWS, columns=["text"]):
                for value in batch.column(0):
                    yield _document_of(value.as_py(), f"{path}, row {row}")
                    row += 1
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise CorpusError(
            f'{path}, row {row}: "text" is not UTF-8: byte {error.start} (0x{byte:02x}) is not valid.'
        ) from None
    except (pyarrow.ArrowException, ValueError) as error:
        problem = str(error).partition("\n")[0] or type(error).__name__
        raise CorpusError(f"{path} is damaged, or not a parquet file ({problem}).") from None


def _document_of(value: object, place: str) -> str:
    """The value of a row, which has to be a string of limited length."""
    if not isinstance(value, str):
        kind = "null" if value is None else f"of the type {type(value).__name__}"
        raise CorpusError(f'{place}: "text" is {kind}, not a string.')
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
