"""The `corpus` argument of encoding and training: what a name, a path or an iterable refers to, cut into shards.

a text file, or a list of them              each file is one document; the size of the corpus is known
a name, folder, glob, .jsonl, parquet, …    documents of unknown number and length
an iterable of str                          the same, but they can be read only once
"""

import codecs
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from g2c.common.errors import CorpusError
from g2c.corpus.corpora import CORPORA, not_utf8, resolve_corpus, unreadable
from g2c.corpus.documents import document_files, documents
from g2c.corpus.shards import Cutter, Document, Shard, cut_into_shards

_FILES_OF_DOCUMENTS = (".gz", ".jsonl", ".parquet")

_BLOCK = 64 << 10
"""Bytes that are read and checked at a time: so few that they stay in the processor's cache."""

_State = tuple[int, int, int, int, Path]
"""What shows that a file is still the same one with the same content: its size first, and two times, of which no
program can set the second."""


class CorpusInput:
    """A corpus and the state that its files had when this was made.

    Attributes:
        name: for manifest.json and messages.
        size: in bytes; None if it is unknown.
        is_text: whether the corpus consists of text files, whose text contains the separators of documents already.
    """

    def __init__(self, name: str, find_files: Callable[[], list[Path]], read: Callable[[], Iterable[str]] | None):
        """
        Args:
            find_files: returns every file behind the corpus, in order.
            read: returns the documents; None for text files, each of them one document, used byte for byte.
        """
        self.name = name
        self._find_files, self._read = find_files, read
        self.is_text = read is None
        self._state = self._current_state()
        self.size = sum(size for size, *_ in self._state) if self.is_text else None

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        """The shards of the corpus, in order."""
        return cut_into_shards(self._documents(min(_BLOCK, shard_bytes)), cutter, shard_bytes)

    def texts(self) -> Iterator[str]:
        """The documents as they are encoded, one by one."""
        for _, blocks in self._documents(_BLOCK):
            yield b"".join(blocks).decode()

    def _documents(self, block: int) -> Iterator[Document]:
        if self._read is None:
            for path in self._find_files():
                yield str(path), _text_blocks(path, block)
        else:
            for number, document in enumerate(self._read(), 1):
                name = f"document {number} of {self.name}"
                data = _encode(document, name)
                yield name, [data[begin : begin + block] for begin in range(0, max(1, len(data)), block)]

    def check_unchanged(self) -> None:
        """Raise CorpusError if a file of the corpus was changed, replaced, added or removed since this was made."""
        if self._current_state() != self._state:
            raise CorpusError(
                f"The corpus {self.name} was changed while it was being read. Start again when it is complete, "
                "with resume=False (--again)."
            )

    def _current_state(self) -> list[_State]:
        return [_state_of(path) for path in self._find_files()]


def _text_blocks(path: Path, size: int) -> Iterator[bytes]:
    """The content of a text file, in blocks of `size` bytes. Raises CorpusError if it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    try:
        with path.open("rb") as file:
            while block := file.read(size):
                offset += len(block)
                decoder.decode(block)
                yield block
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        # `error.object` is the last block and what was left of a character before it.
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


def _state_of(path: Path) -> _State:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise CorpusError(f"There is no file {path}. Check the path, or fetch the corpus first.") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise CorpusError(f"{path} is not a regular file. Save its content as a file first.")
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, path.absolute()


CorpusArgument = str | os.PathLike[str] | Iterable[str] | Sequence[Path] | CorpusInput
"""A name, a path, an iterable of documents, or the paths of text files. See `g2c.corpus.encoding.encode_corpus`."""


def corpus_input(corpus: CorpusArgument) -> CorpusInput:
    """The corpus that the argument of a caller refers to. A `CorpusInput` is returned as it is.

    Raises:
        TypeError: the argument is none of the above.
        CorpusError: a text file or named corpus does not exist or cannot be read.
    """
    if isinstance(corpus, CorpusInput):
        return corpus
    if isinstance(corpus, str) and corpus in CORPORA:
        return _document_files(resolve_corpus(corpus), resolve_corpus(corpus))
    if isinstance(corpus, (str, os.PathLike)):
        path = Path(corpus)
        try:
            is_text = path.is_file() and not path.name.lower().endswith(_FILES_OF_DOCUMENTS)
        except OSError as error:
            raise unreadable(path, error) from None
        # The name of the folder "." is its own name.
        return _text_files([path]) if is_text else _document_files(path.name or path.resolve().name, path)
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(path, Path) for path in corpus):
        return _text_files(list(corpus))
    if isinstance(corpus, (bytes, bytearray)) or not isinstance(corpus, Iterable):
        raise TypeError(f"A corpus is a name, a path or an iterable of str, not of type {type(corpus).__name__}.")
    stream = cast(Iterable[str], corpus)
    return CorpusInput("documents", list, lambda: stream)


def _text_files(paths: list[Path]) -> CorpusInput:
    name = paths[0].name if len(paths) == 1 else f"{len(paths)} files, {paths[0].name} to {paths[-1].name}"
    return CorpusInput(name, lambda: paths, None)


def _document_files(name: str, name_or_path: str | Path) -> CorpusInput:
    return CorpusInput(name, lambda: document_files(name_or_path), lambda: documents(name_or_path))
