"""Reading documents, one at a time: from a named corpus, or from .txt, .jsonl and .parquet files.

name, file, folder or glob   ->   files, in a fixed order   ->   a reader by file type   ->   parts of documents (str)

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

MAX_DOCUMENT_BYTES = 16 << 20
"""The longest document, and the longest line of a .jsonl file. A text file may have any number of parts."""

_BLOCK = 1 << 20
_BATCH_ROWS = 64
_IDS_FILE = "ids.uint32"
_SURROGATE = re.compile("[\ud800-\udfff]")

Part = tuple[str, bool]
"""A part of a document, and whether the document ends there."""


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
    texts: list[str] = []
    size = 0
    for text, ends in document_parts(name_or_path):
        if ends and not texts:
            yield text
            continue
        texts.append(text)
        size += len(text.encode("utf-8", "surrogatepass"))
        if size > MAX_DOCUMENT_BYTES:
            begin = "".join(texts)[:40]
            raise CorpusError(
                f"{os.fspath(name_or_path)}: the document that begins with {begin!r} has more than "
                f"{MAX_DOCUMENT_BYTES:,} bytes. Split it with {DOCUMENT_SEPARATOR}, or leave it out."
            )
        if ends:
            yield "".join(texts)
            texts, size = [], 0


def document_parts(name_or_path: str | os.PathLike[str]) -> Iterator[Part]:
    """Yield the documents of a corpus in parts, so that a document of any length takes little memory.

    A document of a text file comes in parts of about a megabyte. Every other document is one part.

    Args:
        name_or_path: as for `documents`.

    Yields:
        a part of a document, and whether the document ends there. No document is empty; the last part may be.

    Raises:
        CorpusError: as `documents`; the length of a text document has no limit.

    >>> text, ends = next(document_parts("pydocs"))
    >>> text.startswith('The "assert" statement'), ends
    (True, True)
    """
    found = is_open = False
    for text, ends in _all_parts(name_or_path):
        if text or is_open:
            found = True
            yield text, ends
            is_open = not ends
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


def _all_parts(name_or_path: str | os.PathLike[str]) -> Iterator[Part]:
    if name_or_path == "pydocs":
        yield from ((topic, True) for topic in pydocs_topics())
        return
    for path in document_files(name_or_path):
        reader = _reader(path)
        try:
            yield from reader(path)
        except (OSError, EOFError, zlib.error) as error:
            raise unreadable(path, error) from None


def _reader(path: Path) -> "_Reader":
    name = path.name.lower()
    return next(reader for suffix, reader in _READERS.items() if name.endswith(suffix))


# --- text files -------------------------------------------------------------------------------------------------------


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.name.lower().endswith(".gz") else path.open("rb")


def _text_parts(path: Path) -> Iterator[Part]:
    """Split at separators while reading blocks. Works on bytes: in UTF-8 no character contains another's bytes."""
    separator = DOCUMENT_SEPARATOR.encode()
    pending = bytearray()
    start = 0  # offset of `pending` in the file
    follows_separator = False  # the line ends at the beginning of `pending` belong to a separator
    with _open(path) as file:
        while block := file.read(_BLOCK):
            # A separator may have begun in the last few bytes of the previous block.
            search_from = max(0, len(pending) - len(separator) + 1)
            pending += block
            begin = 0
            while (end := pending.find(separator, max(begin, search_from))) >= 0:
                text = _decode(pending[begin:end], path, start + begin).rstrip("\r\n")
                yield text.lstrip("\r\n") if follows_separator else text, True
                follows_separator = True
                begin = end + len(separator)
            # The rest, without what may belong to a separator or to a character that is not complete.
            end = _certain_end(pending, begin, len(separator))
            if end > begin and len(pending) - begin > _BLOCK:
                text = _decode(pending[begin:end], path, start + begin)
                text = text.lstrip("\r\n") if follows_separator else text
                if text:
                    yield text, False
                    follows_separator = False
                begin = end
            del pending[:begin]
            start += begin
    text = _decode(pending, path, start)
    yield text.lstrip("\r\n") if follows_separator else text, True


def _certain_end(data: bytearray, begin: int, margin: int) -> int:
    """The end of the text in `data` that belongs to the document, whatever follows.

    The last bytes may be the beginning of a separator, the line ends before it, or a part of a character.
    """
    end = max(begin, len(data) - margin)
    # A character has at most three bytes after its first one. More of them are left to `_decode`, which refuses them.
    inside = (back for back in range(4) if end - back <= begin or not 0x80 <= data[end - back] < 0xC0)
    end -= next(inside, 0)
    return begin + len(data[begin:end].rstrip(b"\r\n"))


def _decode(data: bytes | bytearray, path: Path, start: int) -> str:
    """Decode bytes of the file `path` that begin at its offset `start`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, start + error.start, data[error.start]) from None


# --- JSON lines -------------------------------------------------------------------------------------------------------


def _jsonl_parts(path: Path) -> Iterator[Part]:
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
                yield _document_in(text, place), True


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


def _parquet_parts(path: Path) -> Iterator[Part]:
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
                    yield _document_of(value.as_py(), f"{path}, row {row}"), True
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


_Reader = Callable[[Path], Iterator[Part]]

_READERS: dict[str, _Reader] = {
    ".txt": _text_parts,
    ".txt.gz": _text_parts,
    ".jsonl": _jsonl_parts,
    ".jsonl.gz": _jsonl_parts,
    ".parquet": _parquet_parts,
}
_FILE_TYPES = "the types are " + ", ".join(_READERS)
