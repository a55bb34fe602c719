"""Reading documents, one at a time: from a named corpus, or from .txt, .jsonl and .parquet files.

name, file, folder or glob   ->   files, in a fixed order   ->   a reader by file type   ->   parts of documents (str)

Corpora come from anybody. What would take more memory or more time than a corpus of its size is refused, with the file
and the place in it: see LONGEST_DOCUMENT, LARGEST_PAGE, MOST_VALUES and MOST_EXPANSION.
"""

import glob
import gzip
import json
import os
import re
import stat
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from g2c.common.errors import CorpusError
from g2c.common.files import exists
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import CORPORA, corpus_files, not_utf8, pydocs_topics, unreadable
from g2c.corpus.parquet_pages import Page, column_chunks, pages

LONGEST_DOCUMENT = 16 << 20
"""The longest document, and the longest line of a .jsonl file, in bytes. A text file may have any number of parts."""

LARGEST_PAGE = 128 << 20
"""The largest page of a parquet file, uncompressed, in bytes. A page is decompressed as a whole."""

MOST_VALUES = 1_000_000
"""The largest number of values, such as numbers and empty lists, in a line of a .jsonl file."""

MOST_EXPANSION = 200
"""How many times larger than its file the content of a .gz or .parquet file may be, beyond the first 64 MB. A line or
row counts 128 bytes more than it has."""

_FREE_EXPANSION = 64 << 20
_ROW_BYTES = 128
_BLOCK = 1 << 20
_BATCH_BYTES = 128 << 20
_BATCH_ROWS = 1000
_IDS_FILE = "ids.uint32"
_SURROGATE = re.compile("[\ud800-\udfff]")
_JSON_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)

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
        CorpusError: nothing exists there, a file has an unknown type, cannot be read, is not valid, or exceeds one of
            the limits of this module, or all files are empty. The message gives the file and the position in it.

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
        if size > LONGEST_DOCUMENT:
            begin = "".join(texts)[:40]
            raise CorpusError(
                f"{os.fspath(name_or_path)}: the document that begins with {begin!r} has more than "
                f"{LONGEST_DOCUMENT:,} bytes. Split it with {DOCUMENT_SEPARATOR}, or leave it out."
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
        except MemoryError:
            raise CorpusError(f"{path} takes more memory than there is. Leave it out.") from None


def _reader(path: Path) -> "_Reader":
    name = path.name.lower()
    return next(reader for suffix, reader in _READERS.items() if name.endswith(suffix))


class _Expansion:
    """Refuses a file whose text is so much larger than the file that it can only have been made to fill memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._limit = MOST_EXPANSION * path.stat().st_size + _FREE_EXPANSION

    def check(self, size: int, place: str = "") -> None:
        """Raise CorpusError if the text so far, of `size` bytes, exceeds the limit."""
        if size > self._limit:
            raise CorpusError(
                f"{self._path}{place}: the content so far is more than {MOST_EXPANSION} times as large as the file. "
                "No corpus is. Leave the file out, or unpack it first."
            )


# --- text files -------------------------------------------------------------------------------------------------------


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if _is_gzip(path) else path.open("rb")


def _is_gzip(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _text_parts(path: Path) -> Iterator[Part]:
    """Split at separators while reading blocks. Works on bytes: in UTF-8 no character contains another's bytes."""
    separator = DOCUMENT_SEPARATOR.encode()
    expansion = _Expansion(path) if _is_gzip(path) else None
    pending = bytearray()
    start = 0  # offset of `pending` in the file
    follows_separator = False  # the line ends at the beginning of `pending` belong to a separator
    with _open(path) as file:
        while block := file.read(_BLOCK):
            # A separator may have begun in the last few bytes of the previous block.
            search_from = max(0, len(pending) - len(separator) + 1)
            pending += block
            if expansion:
                expansion.check(start + len(pending))
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
            if len(pending) - begin > LONGEST_DOCUMENT:
                raise CorpusError(f"{path}: from byte {start + begin} on, there are {LONGEST_DOCUMENT:,} line ends.")
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
    expansion = _Expansion(path) if _is_gzip(path) else None
    start = number = 0
    with _open(path) as file:
        while line := file.readline(LONGEST_DOCUMENT + 1):
            number += 1
            if len(line) > LONGEST_DOCUMENT:
                raise CorpusError(
                    f"{path}, line {number}: the line has more than {LONGEST_DOCUMENT:,} bytes. Split its document."
                )
            text = _decode(line, path, start)
            # Some programs write a byte order mark at the beginning of a file, which JSON does not allow.
            text = text if start else text.removeprefix("\ufeff")
            start += len(line)
            del line
            if expansion:
                expansion.check(start + _ROW_BYTES * number, f", line {number}")
            if text and not text.isspace():
                document = _document_in(text, f"{path}, line {number}")
                # Not held while the document is processed.
                del text
                yield document, True


def _document_in(line: str, place: str) -> str:
    """The document in a line. `place` is its file and number, for error messages."""
    if line.count(",") + line.count("[") + line.count("{") > MOST_VALUES:
        # Most of them are usually part of strings.
        outside = _JSON_STRING.sub("", line)
        if outside.count(",") + outside.count("[") + outside.count("{") > MOST_VALUES:
            raise CorpusError(f"{place}: the line contains more than {MOST_VALUES:,} values.")
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
        raise CorpusError(f"Reading {path} needs pyarrow. Install it with: {install_command('pyarrow')}") from None
    expansion = _Expansion(path)
    row = size = 0
    try:
        # Without these two settings, pyarrow eventually keeps the whole file in memory.
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BLOCK) as table, path.open("rb") as file:
            if "text" not in table.schema_arrow.names:
                columns = ", ".join(table.schema_arrow.names)
                raise CorpusError(f'{path} has no column "text"; its columns are {columns}.')
            # What the column consists of, if its type is nested.
            parts = [number for number, part in enumerate(table.schema) if part.path.split(".")[0] == "text"]
            groups = table.metadata.num_row_groups
            for group, chunks in zip(range(groups), column_chunks(file, parts), strict=True):
                rows = _batch_rows((page for chunk in chunks for page in pages(file, chunk)), path, row)
                for batch in table.iter_batches(batch_size=rows, row_groups=[group], columns=["text"]):
                    size += batch.nbytes + _ROW_BYTES * batch.num_rows
                    expansion.check(size, f", row {row}")
                    for document in _strings(batch.column(0), path, row):
                        yield document, True
                    row += batch.num_rows
                    if batch.nbytes > LONGEST_DOCUMENT:
                        # Otherwise Arrow keeps the memory of large pages, though it cannot use it for the next ones.
                        del batch
                        pyarrow.default_memory_pool().release_unused()
    except (pyarrow.ArrowException, ValueError) as error:
        problem = str(error).partition("\n")[0] or type(error).__name__
        raise CorpusError(f"{path} is damaged, or not a parquet file ({problem}).") from None


def _batch_rows(of_text: Iterator[Page], path: Path, first_row: int) -> int:
    """How many rows can be read at a time, so that they take at most about `_BATCH_BYTES`."""
    largest = largest_repeated = largest_window = 0
    row = 0
    window: deque[Page] = deque()  # the pages that `_BATCH_ROWS` rows may touch
    rows_in_window = size_of_window = 0
    for page in of_text:
        if page.size > LARGEST_PAGE:
            raise CorpusError(
                f"{path}, row {first_row + row}: a page of {page.size:,} bytes exceeds the {LARGEST_PAGE:,}-byte "
                "limit. Write the file with smaller pages, or leave it out."
            )
        largest = max(largest, page.size)
        largest_repeated = max(largest_repeated, page.size if page.repeats else 0)
        row += page.values
        while window and rows_in_window - window[0].values >= _BATCH_ROWS - 1:
            rows_in_window -= window[0].values
            size_of_window -= window.popleft().size
        window.append(page)
        rows_in_window += page.values
        size_of_window += page.size
        largest_window = max(largest_window, size_of_window)
    rows = _BATCH_ROWS if largest_window <= _BATCH_BYTES else _BATCH_BYTES // largest
    # A dictionary can repeat its largest value in each row.
    return max(1, min(rows, _BATCH_BYTES // 4 // max(1, largest_repeated)))


def _strings(column: Any, path: Path, first_row: int) -> Iterator[str]:
    """The values of an Arrow array, each of which has to be a string of limited length."""
    values: Iterable[Any] = (_value(scalar, path, row) for row, scalar in enumerate(column, start=first_row))
    if column.nbytes <= LONGEST_DOCUMENT:
        # All at once is faster. Where it fails, reading one by one finds the row.
        with suppress(UnicodeDecodeError):
            values = column.to_pylist()
    for row, value in enumerate(values, start=first_row):
        if not isinstance(value, str):
            kind = "null" if value is None else f"of the type {type(value).__name__}"
            raise CorpusError(f'{path}, row {row}: "text" is {kind}, not a string.')
        yield value


def _value(scalar: Any, path: Path, row: int) -> Any:
    size = scalar.as_buffer().size if scalar.is_valid and hasattr(scalar, "as_buffer") else 0
    if size > LONGEST_DOCUMENT:
        raise CorpusError(
            f"{path}, row {row}: the document has {size:,} bytes, which exceeds the {LONGEST_DOCUMENT:,}-byte limit."
        )
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise CorpusError(
            f'{path}, row {row}: "text" is not UTF-8: byte {error.start} (0x{byte:02x}) is not valid.'
        ) from None


_Reader = Callable[[Path], Iterator[Part]]

_READERS: dict[str, _Reader] = {
    ".txt": _text_parts,
    ".txt.gz": _text_parts,
    ".jsonl": _jsonl_parts,
    ".jsonl.gz": _jsonl_parts,
    ".parquet": _parquet_parts,
}
_FILE_TYPES = "the types are " + ", ".join(_READERS)
