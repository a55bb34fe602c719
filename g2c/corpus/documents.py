"""Reading a corpus: a named one, a file, a folder with files of one kind, or any iterable of documents.

    .txt       the documents between <|endoftext|>; a file that is the whole corpus is one text, byte for byte
    .jsonl     a JSON object in each line, with the document in its field "text"
    .parquet   a row for each document, in its column "text"

Whatever cannot be read is refused with the file and the place in it. `docs/corpora.md` shows how Hugging Face's library
`datasets` reads every other kind of corpus, as an iterable of documents.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from coach.common.files import exists, reading
from coach.common.packages import install_command
from g2c.common.errors import CorpusError
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus
from g2c.corpus.corpora import CORPORA, corpus_files, pydocs_topics, resolve_corpus
from g2c.formats.token_ids import IDS_FILE
from g2c.tokenizer.checks import check_text

_Item = TypeVar("_Item", str, bytes)

_ELSEWHERE = "docs/corpora.md shows how to read any other corpus."

_READ_BYTES = 1 << 16
"""How many bytes are read and checked at a time: so few that they stay in the processor's cache."""


def documents(name_or_path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the documents of a corpus in a fixed order, with little more than one in memory at a time.

    `name_or_path` is a name in `CORPORA`, a file, or a folder. The line ends around `<|endoftext|>` in a .txt file
    belong to no document. No document is empty. Raises CourseError, which gives the file and the place in it, if
    something cannot be read, or changes meanwhile.

    >>> next(documents("pydocs")).startswith('The "assert" statement')
    True
    """
    yield from CorpusInput(name_or_path).documents()


class CorpusInput:
    """A corpus to train on or to encode. A corpus of files can be read any number of times.

    Attributes:
        name: its name in manifest.json.
        is_text: True for one text, in which special tokens separate documents; its IDs get no separator at the end.
        size: the bytes of its files or of its text; None for an iterable.
        bytes_read: how many bytes of its files have been read; 0 for other corpora.
    """

    def __init__(self, corpus: str | os.PathLike[str] | Iterable[str] | Corpus) -> None:
        """Find the files. Raises CourseError if there are none."""
        self.name, self.is_text, self.size, self.bytes_read = "documents", False, None, 0
        self._files: list[Path] = []
        self._given: Iterable[str] = []
        if isinstance(corpus, Corpus):
            self.name, self.is_text, self.size, self._given = corpus.name, True, corpus.size, [corpus.text]
        elif isinstance(corpus, str) and corpus in CORPORA:
            self.name, self._files = resolve_corpus(corpus), corpus_files(corpus)
            self._given = [] if self._files else pydocs_topics()
        elif isinstance(corpus, (str, os.PathLike)):
            path = Path(corpus)
            self._files = _files_of(path)
            # The name of the folder "." is its own name. In manifest.json, it has to be UTF-8.
            self.name = (path.name or path.resolve().name).encode(errors="replace").decode()
            self.is_text = path.suffix.lower() == ".txt" and self._files == [path]
        else:
            self._given = corpus
        self._states = list(map(_state_of, self._files))
        if self._files:
            self.size = sum(size for size, _ in self._states)

    @staticmethod
    def of(corpus: "CorpusArgument") -> "CorpusInput":
        return corpus if isinstance(corpus, CorpusInput) else CorpusInput(corpus)

    def documents(self) -> Iterator[str]:
        """Yield the documents. Those of files are not empty."""
        in_files = (document for path in self._files for document in _READERS[path.suffix.lower()](self, path))
        yield from self._checked(filter(None, in_files) if self._files else self._given)

    def encoded(self) -> Iterator[bytes]:
        """Yield the documents as UTF-8; a text file in blocks that end at a line end."""
        if self.is_text and self._files:
            yield from self._checked(self._blocks(*self._files))
            return
        for number, document in enumerate(self.documents(), start=1):
            try:
                check_text(document)
            except (TypeError, ValueError) as error:
                raise type(error)(f"Document {number} of {self.name}: {error}") from None
            yield document.encode()

    def _checked(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Yield what is read. Raises CorpusError if it is nothing, or if a file has changed."""
        self.bytes_read, is_empty = 0, True
        for item in items:
            is_empty = False
            yield item
        if is_empty:
            raise CorpusError(f"There is no document in {self.name}: it is empty, or an iterator that was read before.")
        for path, state in zip(self._files, self._states):
            if _state_of(path) != state:
                raise CorpusError(f"{path} was changed while it was being read. Start again when it is complete.")

    # --- one file -----------------------------------------------------------------------------------------------------

    def _blocks(self, path: Path) -> Iterator[bytes]:
        """Yield a file of UTF-8 in blocks that end at a line end."""
        offset = 0
        with reading(path) as file:
            while block := file.read(_READ_BYTES) + file.readline():
                try:
                    block.decode()
                except UnicodeDecodeError as error:
                    place = f"byte {offset + error.start} (0x{block[error.start]:02x})"
                    raise CorpusError(
                        f"{path} is not UTF-8 text: {place} is not valid. Convert it to UTF-8, or fetch it again."
                    ) from None
                offset += len(block)
                self.bytes_read += len(block)
                yield block

    def _text_documents(self, path: Path) -> Iterator[str]:
        held, ends = list[str](), ""
        for block in self._blocks(path):
            # No separator reaches over a line end, so none is divided between two blocks.
            head, *others = block.decode().split(DOCUMENT_SEPARATOR)
            held.append(head)
            for text in others:
                # The first document has no separator before it, whose line ends would be left out.
                yield "".join(held).rstrip("\r\n").lstrip(ends)
                held, ends = [text], "\r\n"
        yield "".join(held).lstrip(ends)

    def _json_documents(self, path: Path) -> Iterator[str]:
        with reading(path) as file:
            for number, line in enumerate(file, start=1):
                self.bytes_read += len(line)
                if not line.strip():
                    continue
                try:
                    # Numbers are not used; float reads those of any length. Given bytes, json would also read UTF-16.
                    record = json.loads(line.decode("utf-8-sig"), parse_int=float)
                except (ValueError, RecursionError) as error:
                    raise CorpusError(f"{path}, line {number}: not valid JSON ({error}).") from None
                if not isinstance(record, dict) or not isinstance(record.get("text"), str):
                    raise CorpusError(
                        f'{path}, line {number}: not a JSON object whose "text" is a string. {_ELSEWHERE}'
                    )
                yield record["text"]

    def _parquet_documents(self, path: Path) -> Iterator[str]:
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            remedy = install_command("pyarrow") or "pip install pyarrow"
            raise CorpusError(f"Reading {path} needs pyarrow. Install it with: {remedy}") from None
        row, before, size = 0, self.bytes_read, path.stat().st_size
        try:
            # Without these two settings, pyarrow eventually keeps the whole file in memory.
            with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES) as table:
                if "text" not in table.schema_arrow.names:
                    raise CorpusError(f'{path} has no column "text". {_ELSEWHERE}')
                for batch in table.iter_batches(batch_size=64, columns=["text"]):
                    for value in batch.column(0):
                        document = value.as_py()
                        if not isinstance(document, str):
                            raise CorpusError(f'{path}, row {row}: "text" is {document!r:.50}, not a string.')
                        row += 1
                        self.bytes_read = before + size * row // table.metadata.num_rows
                        yield document
        except (ArrowException, OSError, ValueError) as error:
            problem = str(error).partition("\n")[0] or type(error).__name__
            raise CorpusError(f"{path} is damaged from row {row} on, or not a parquet file ({problem}).") from None


CorpusArgument = str | os.PathLike[str] | Iterable[str] | Corpus | CorpusInput
"""A name in `CORPORA`, a file, a folder, an iterable of documents, or a text from `load_corpus`."""

_READERS: dict[str, Callable[[CorpusInput, Path], Iterator[str]]] = {
    ".txt": CorpusInput._text_documents,
    ".jsonl": CorpusInput._json_documents,
    ".parquet": CorpusInput._parquet_documents,
}
_NAME = re.compile(rf"(?s).+?(({'|'.join(map(re.escape, _READERS))})(\.(bz2|gz|xz|zip|zst))?)", re.IGNORECASE)
"""Matches a file's name, with one suffix or, if it is compressed, two: such a file is refused, not left out."""


# --- finding files ----------------------------------------------------------------------------------------------------


def _files_of(path: Path) -> list[Path]:
    """List a file, or the files of one kind in a folder and in its subfolders, sorted.

    Hidden ones are left out, and so are artifacts: the output of `g2c encode` is not part of its corpus.
    """
    kinds = "a corpus is a .txt, .jsonl or .parquet file, or a folder with files of one of these kinds"
    if not exists(path):
        raise CorpusError(f"There is no file or folder {str(path)!r}; the named corpora are {', '.join(CORPORA)}.")
    if not path.is_dir():
        if path.suffix.lower() not in _READERS:
            raise CorpusError(f"{path} is of another kind: {kinds}. {_ELSEWHERE}")
        return [path]
    files = list(_files_in(path))
    found = sorted({match[1].lower() for file in files if (match := _NAME.fullmatch(file.name))})
    if len(found) != 1 or found[0] not in _READERS:
        raise CorpusError(f"The folder {path} contains {' and '.join(found) or 'no such'} files: {kinds}.")
    return files


def _files_in(folder: Path) -> Iterator[Path]:
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in [] if folder / IDS_FILE in paths else paths:
        if path.is_dir() and not path.is_symlink():
            yield from _files_in(path)
        elif _NAME.fullmatch(path.name) and path.is_file():
            yield path


def _state_of(path: Path) -> tuple[int, int]:
    """Return the size of a file and the time of its last change."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns
