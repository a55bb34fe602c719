"""Reading documents, one at a time: from a named corpus, or from .txt, .jsonl and .parquet files.

name, file, folder or glob   ->   files, in a fixed order   ->   a reader by file type   ->   documents (str)
"""

import glob
import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from g2c.common.errors import CorpusError
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import CORPORA, corpus_files, decode_utf8, pydocs_topics, unreadable

_BLOCK = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")


def documents(name_or_path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the documents of a corpus in a fixed order, holding one document in memory at a time.

    Args:
        name_or_path: a name of `CORPORA`; or a file, a folder (all its files of these types, sorted) or a glob. Files:
            .txt: documents separated by `<|endoftext|>` and the line ends around it; without any separator the file
            is one document. .jsonl: one JSON object per line, whose "text" is a document.
            .parquet: each value of the column "text" is a document. Text and JSON also as .txt.gz and .jsonl.gz.

    Yields:
        str, never empty.

    Raises:
        CorpusError: nothing exists there, a file has an unknown type or is not valid, or all files are empty. The
            message gives the file and the position in it.

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
        yield from pydocs_topics()
        return
    for path in _files(name_or_path):
        reader = _reader(path)
        try:
            yield from reader(path)
        except (OSError, EOFError, zlib.error) as error:
            raise unreadable(path, error) from None


def _files(name_or_path: str | os.PathLike[str]) -> list[Path]:
    """The files that `name_or_path` refers to, each of a known type."""
    if isinstance(name_or_path, str) and name_or_path in CORPORA:
        return corpus_files(name_or_path)
    path = Path(name_or_path)
    if path.is_dir():
        inside = (file for file in path.rglob("*") if not file.name.startswith(".") and file.is_file())
        files = sorted(file for file in inside if _is_known(file))
        if not files:
            raise CorpusError(f"There is no readable file in the folder {path}: {_FILE_TYPES}.")
        return files
    files = [path] if path.exists() else sorted(Path(match) for match in glob.glob(str(path), recursive=True))
    if not files:
        raise CorpusError(
            f"There is no corpus, file or folder {os.fspath(name_or_path)!r}; "
            f"the named corpora are {', '.join(CORPORA)}."
        )
    for file in files:
        if not _is_known(file):
            raise CorpusError(f"{file} has an unknown file type: {_FILE_TYPES}.")
    return files


def _is_known(path: Path) -> bool:
    return path.name.lower().endswith(tuple(_READERS))


def _reader(path: Path) -> "_Reader":
    name = path.name.lower()
    return next(reader for suffix, reader in _READERS.items() if name.endswith(suffix))


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.name.lower().endswith(".gz") else path.open("rb")


def _text_documents(path: Path) -> Iterator[str]:
    """Split at separators while reading blocks. Works on bytes: in UTF-8 no character contains another's bytes."""
    separator = DOCUMENT_SEPARATOR.encode()
    pending = bytearray()
    start = 0  # offset of `pending` in the file
    with _open(path) as file:
        while block := file.read(_BLOCK):
            # A separator may have begun in the last few bytes of the previous block.
            search_from = max(0, len(pending) - len(separator) + 1)
            pending += block
            begin = 0
            while (end := pending.find(separator, max(begin, search_from))) >= 0:
                document = decode_utf8(pending[begin:end], path, start + begin).rstrip("\r\n")
                yield document.lstrip("\r\n") if start + begin else document
                begin = end + len(separator)
            pending = pending[begin:]
            start += begin
    document = decode_utf8(pending, path, start)
    yield document.lstrip("\r\n") if start else document


def _jsonl_documents(path: Path) -> Iterator[str]:
    start = 0
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            text = decode_utf8(line, path, start)
            # Some programs write a byte order mark at the beginning of a file, which JSON does not allow.
            text = text if start else text.removeprefix("\ufeff")
            start += len(line)
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise CorpusError(f"{path}, line {number}: not valid JSON ({error}).") from None
            document = record.get("text") if isinstance(record, dict) else None
            if not isinstance(document, str):
                raise CorpusError(f'{path}, line {number}: expected a JSON object whose "text" is a string.')
            surrogate = _SURROGATE.search(document)
            if surrogate:
                raise CorpusError(
                    f'{path}, line {number}: character {surrogate.start()} of "text" is a lone surrogate '
                    f"(\\u{ord(surrogate[0]):04x}), half of a surrogate pair. Remove the line, or add the other half."
                )
            yield document


def _parquet_documents(path: Path) -> Iterator[str]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise CorpusError(f"Reading {path} needs pyarrow. Install it with: {install_command('corpora')}") from None
    try:
        # Without these two settings, pyarrow eventually keeps the whole file in memory.
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


_Reader = Callable[[Path], Iterator[str]]

_READERS: dict[str, _Reader] = {
    ".txt": _text_documents,
    ".txt.gz": _text_documents,
    ".jsonl": _jsonl_documents,
    ".jsonl.gz": _jsonl_documents,
    ".parquet": _parquet_documents,
}
_FILE_TYPES = "the types are " + ", ".join(_READERS)
