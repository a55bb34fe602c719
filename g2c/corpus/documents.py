"""Reading a corpus: a named one, a file, a folder with files of one kind, or any iterable of documents.

    .txt       the documents between <|endoftext|>; a file that is the whole corpus is one text, byte for byte
    .jsonl     a JSON object in each line, with the document in its field "text"
    .parquet   a row for each document, in its column "text"

Whatever cannot be read is refused with the file and the place in it. `docs/corpora.md` shows how Hugging Face's library
`datasets` reads every other kind of corpus, as an iterable of documents.
"""

import codecs
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from g2c.common.errors import CorpusError
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus, printable
from g2c.corpus.corpora import CORPORA, corpus_files, pydocs_topics, resolve_corpus, unreadable
from g2c.formats.token_ids import IDS_FILE

CorpusArgument = str | os.PathLike[str] | Iterable[str] | Corpus
"""A name in `CORPORA`, a file, a folder, an iterable of documents, or a text from `load_corpus`."""

_READ_BYTES = 1 << 16
"""How many bytes are read and checked at a time: so few that they stay in the processor's cache."""

_parse = json.JSONDecoder().decode


def documents(name_or_path: str | os.PathLike[str], *, column: str = "text") -> Iterator[str]:
    """Yield the documents of a corpus in a fixed order, with little more than one in memory at a time.

    `name_or_path` is a name in `CORPORA`, a file, or a folder; `column` is the JSON field or the parquet column with
    the documents. The line ends around `<|endoftext|>` in a .txt file belong to no document. No document is empty.

    Raises CorpusError, which gives the file and the place in it, if nothing exists there, all files are empty, a file
    is of another kind, cannot be read, is not valid, or changes meanwhile.

    >>> next(documents("pydocs")).startswith('The "assert" statement')
    True
    """
    yield from CorpusInput(name_or_path, column=column).documents()


class CorpusInput:
    """A corpus to train on or to encode. A corpus of files can be read any number of times.

    Attributes:
        name: for messages and manifest.json.
        is_text: True for one text, in which special tokens separate documents; its IDs get no separator at the end.
        size: the bytes of its files or of its text; None for an iterable.
        bytes_read: how many bytes of its files have been read; 0 for other corpora.
        facts: further entries about it in manifest.json.
    """

    def __init__(self, corpus: CorpusArgument, *, column: str = "text") -> None:
        """Find the files. Raises CorpusError if there are none, and TypeError for an argument of another kind."""
        self.column, self.bytes_read = column, 0
        self.facts: dict[str, str] = {} if column == "text" else {"column": column}
        self._files: list[Path] = []
        self._given: Iterable[str] | None = None
        self.name, self.is_text, self.size = "documents", False, None
        if isinstance(corpus, Corpus):
            self.name, self.is_text, self.size, self._given = corpus.name, True, corpus.size, [corpus.text]
        elif isinstance(corpus, str) and corpus in CORPORA:
            self.name = resolve_corpus(corpus)
            self._files = corpus_files(corpus)
            self._given = None if self._files else pydocs_topics()
        elif isinstance(corpus, (str, os.PathLike)):
            path = Path(corpus)
            self._files = _files_of(path)
            # The name of the folder "." is its own name.
            self.name = printable(path.name or path.resolve().name)
            self.is_text = path.suffix.lower() == ".txt" and self._files == [path]
        elif isinstance(corpus, Iterable) and not isinstance(corpus, (bytes, bytearray)):
            self._given = corpus
        else:
            raise TypeError(f"A corpus is a name, a path or an iterable of str, not of type {type(corpus).__name__}.")
        self._states = list(map(_state_of, self._files))
        if self._files:
            self.size = sum(size for size, _ in self._states)
        if self._files and not self.size:
            raise self._nothing_found()

    def documents(self) -> Iterator[str]:
        """Yield the documents. Those of files are checked, and not empty."""
        if self._given is not None:
            yield from self._given
            return
        self.bytes_read, found = 0, False
        for path in self._files:
            for document in filter(None, _READERS[path.suffix.lower()](self, path)):
                found = True
                yield document
        if not found:
            raise self._nothing_found()
        self.check_unchanged()

    def encoded(self) -> Iterator[bytes]:
        """Yield the documents as UTF-8; the parts of a text file, which all end at a line end."""
        if self.is_text and self._files:
            self.bytes_read = 0
            yield from (block for _, block in self._blocks(self._files[0]))
            self.check_unchanged()
            return
        for number, document in enumerate(self.documents(), start=1):
            try:
                data = document.encode()
            except AttributeError:
                place, kind = f"document {number} of {self.name}", type(document).__name__
                raise TypeError(f"A document is a str, but {place} is of type {kind}.") from None
            except UnicodeEncodeError as error:
                raise CorpusError(
                    f"Document {number} of {self.name} contains a lone surrogate (U+{ord(document[error.start]):04X}) "
                    f"at character {error.start}: half of a surrogate pair, which UTF-8 cannot encode. Remove it."
                ) from None
            yield data

    def check_unchanged(self) -> None:
        """Raise CorpusError if a file has another size or time of change than when this was made."""
        for path, state in zip(self._files, self._states):
            if _state_of(path) != state:
                raise CorpusError(f"{path} was changed while it was being read. Start again when it is complete.")

    def _nothing_found(self) -> CorpusError:
        return CorpusError(f"There is no document in {self.name}: every file in it is empty.")

    # --- one file -----------------------------------------------------------------------------------------------------

    def _blocks(self, path: Path) -> Iterator[tuple[int, bytes]]:
        """Yield a file of UTF-8 in blocks that end at a line end, each with its offset."""
        offset = 0
        try:
            with path.open("rb") as file:
                while block := file.read(_READ_BYTES):
                    block += file.readline()
                    if offset == 0 and block.startswith(codecs.BOM_UTF8):
                        raise CorpusError(
                            f"{path} begins with a byte order mark, which is no part of its text. Write a copy without "
                            f"it: tail -c +4 {path.name} > copy-of-{path.name}"
                        )
                    block.decode()
                    yield offset, block
                    offset += len(block)
                    self.bytes_read += len(block)
        except UnicodeDecodeError as error:
            place = f"byte {offset + error.start} (0x{error.object[error.start]:02x})"
            raise CorpusError(
                f"{path} is not UTF-8 text: {place} is not valid. Convert it to UTF-8, or fetch it again."
            ) from None
        except OSError as error:
            raise unreadable(path, error) from None

    def _text_documents(self, path: Path) -> Iterator[str]:
        held: list[str] = []
        is_first = True
        for _, block in self._blocks(path):
            # No separator reaches over a line end, so none is divided between two blocks.
            head, *others = block.decode().split(DOCUMENT_SEPARATOR)
            held.append(head)
            for text in others:
                document = "".join(held).rstrip("\r\n")
                yield document if is_first else document.lstrip("\r\n")
                held, is_first = [text], False
        last = "".join(held)
        yield last if is_first else last.lstrip("\r\n")

    def _json_documents(self, path: Path) -> Iterator[str]:
        number = 0
        for _, block in self._blocks(path):
            for line in block.decode().removesuffix("\n").split("\n"):
                number += 1
                if line := line.strip(" \t\r"):
                    yield self._document_in(line, f"{path}, line {number}")

    def _document_in(self, line: str, place: str) -> str:
        try:
            record = _parse(line)
        except (ValueError, RecursionError) as error:
            raise CorpusError(f"{place}: not valid JSON ({error}). Each line has to be a JSON object.") from None
        document = record.get(self.column) if isinstance(record, dict) else None
        if not isinstance(document, str):
            has = _choice(record) if isinstance(record, dict) and self.column not in record else ""
            raise CorpusError(f'{place}: expected a JSON object whose "{printable(self.column)}" is a string.{has}')
        return document

    def _parquet_documents(self, path: Path) -> Iterator[str]:
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            raise CorpusError(f"Reading {path} needs pyarrow. Install it with: {install_command('pyarrow')}") from None
        row, before, size = 0, self.bytes_read, path.stat().st_size
        try:
            # Without these two settings, pyarrow eventually keeps the whole file in memory.
            with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES) as table:
                if self.column not in table.schema_arrow.names:
                    has = _choice(table.schema_arrow.names)
                    raise CorpusError(f'{path} has no column "{printable(self.column)}".{has}')
                for batch in table.iter_batches(batch_size=64, columns=[self.column]):
                    for value in batch.column(0):
                        document = value.as_py()
                        if not isinstance(document, str):
                            kind = "null. Leave out rows without text" if document is None else "not a string"
                            raise CorpusError(f'{path}, row {row}: "{printable(self.column)}" is {kind}.')
                        row += 1
                        self.bytes_read = before + size * row // table.metadata.num_rows
                        yield document
        except OSError as error:
            raise unreadable(path, error) from None
        except (ArrowException, ValueError) as error:
            problem = str(error).partition("\n")[0] or type(error).__name__
            raise CorpusError(f"{path} is damaged from row {row} on, or not a parquet file ({problem}).") from None


_READERS: dict[str, Callable[[CorpusInput, Path], Iterator[str]]] = {
    ".txt": CorpusInput._text_documents,
    ".jsonl": CorpusInput._json_documents,
    ".parquet": CorpusInput._parquet_documents,
}


# --- finding files ----------------------------------------------------------------------------------------------------


def _files_of(path: Path) -> list[Path]:
    """List a file, or the files of one kind in a folder and in its subfolders, sorted.

    Hidden ones are left out, and so are artifacts: the output of `g2c encode` is not part of its corpus.
    """
    kinds = "a corpus is a .txt, .jsonl or .parquet file, or a folder with files of one of these kinds"
    try:
        if not path.is_dir():
            if path.suffix.lower() not in _READERS and path.exists():
                raise CorpusError(f"{path} is of another kind: {kinds}. docs/corpora.md shows how to read any other.")
            return [path]
        files = list(_files_in(path))
    except OSError as error:
        raise unreadable(Path(error.filename or path), error) from None
    found = sorted({file.suffix.lower() for file in files})
    if len(found) != 1:
        raise CorpusError(f"The folder {path} contains {' and '.join(found) or 'no such'} files: {kinds}.")
    return files


def _files_in(folder: Path) -> Iterator[Path]:
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in [] if folder / IDS_FILE in paths else paths:
        if path.is_dir() and not path.is_symlink():
            yield from _files_in(path)
        elif path.suffix.lower() in _READERS and path.is_file():
            yield path


def _state_of(path: Path) -> tuple[int, int]:
    """Return the size of a file and the time of its last change. Raises CorpusError if it is not a regular file."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: the path contains a zero byte.
        raise CorpusError(
            f"There is no file or folder {str(path)!r}; the named corpora are {', '.join(CORPORA)}."
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not path.is_file():
        raise CorpusError(f"{path} is not a regular file. Save its content as a file first.")
    return status.st_size, status.st_mtime_ns


def _choice(names: Iterable[str]) -> str:
    """List a few of the columns that exist."""
    first = [printable(name, longest=40) for name, _ in zip(names, range(10))]
    return f" It has {', '.join(first) or 'nothing'}; choose one with --column, or column=."
