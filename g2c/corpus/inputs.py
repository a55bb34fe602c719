"""The `corpus` argument of encoding and training, which may be a name, a path or an iterable, cut into shards.

a text file, or a list of them              TextFiles        each file is one document; its size is known
a name, folder, glob, .jsonl, parquet, …    DocumentFiles    documents of unknown length
an iterable of str                          Documents        the same, but they can be read only once
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from g2c.common.errors import CorpusError
from g2c.common.files import file_state
from g2c.corpus.corpora import CORPORA, not_utf8, resolve_corpus, unreadable
from g2c.corpus.documents import document_files, document_parts, documents
from g2c.corpus.shards import Cutter, Shard, document_shards, file_shards

_FILES_OF_DOCUMENTS = (".gz", ".jsonl", ".parquet")


class CorpusInput:
    """A corpus and the state that its files had when this was made.

    Attributes:
        name: for manifest.json and messages.
        state: the path, size, times and inode of each file.
        size: in bytes; None if it is unknown.
        takes_separators: whether `<|endoftext|>` is added after each document by default.
    """

    takes_separators = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.size: int | None = None
        self.state = self._current_state()

    def files(self) -> list[Path]:
        """Every file behind the corpus, in order."""
        return []

    def identity(self) -> list[Any]:
        """What has to be equal for interrupted work to continue. Its text is compared as well, by checksums."""
        return [self.name]

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        """The shards of the corpus, in order."""
        raise NotImplementedError

    def texts(self) -> Iterator[str]:
        """The documents as they are encoded, one by one."""
        raise NotImplementedError

    def check_unchanged(self) -> None:
        """Raise CorpusError if a file of the corpus was changed, replaced, added or removed since this was made."""
        if self._current_state() != self.state:
            raise CorpusError(
                f"The corpus {self.name} was changed while it was being read. Start again when it is complete, "
                "with resume=False (--again)."
            )

    def _current_state(self) -> list[str]:
        return [f"{path.absolute()} {tuple(file_state(_regular_file(path)))}" for path in self.files()]


class TextFiles(CorpusInput):
    """A corpus of text files, each of them one document. Their text contains the separators of documents already."""

    takes_separators = False

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = list(paths)
        self._sizes = [_regular_file(path).st_size for path in paths]
        super().__init__(
            paths[0].name if len(paths) == 1 else f"{len(paths)} files, {paths[0].name} to {paths[-1].name}"
        )
        self.size = sum(self._sizes)

    def files(self) -> list[Path]:
        return self._paths

    def identity(self) -> list[Any]:
        return [self.name, *self._sizes]

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        return file_shards(self._paths, cutter, shard_bytes)

    def texts(self) -> Iterator[str]:
        for path in self._paths:
            data = path.read_bytes()
            try:
                yield data.decode()
            except UnicodeDecodeError as error:
                raise not_utf8(path, error.start, data[error.start]) from None


class DocumentFiles(CorpusInput):
    """A corpus that `g2c.corpus.documents.documents` reads."""

    def __init__(self, name: str, name_or_path: str | os.PathLike[str]) -> None:
        self._name_or_path = name_or_path
        super().__init__(name)

    def files(self) -> list[Path]:
        return document_files(self._name_or_path)

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        return document_shards(document_parts(self._name_or_path), cutter, self.name, shard_bytes)

    def texts(self) -> Iterator[str]:
        return documents(self._name_or_path)


class Documents(CorpusInput):
    """An iterable of documents, which has no files. Each document is read only once."""

    def __init__(self, documents: Iterable[str]) -> None:
        super().__init__("documents")
        self._documents = documents

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        return document_shards(((text, True) for text in self._documents), cutter, self.name, shard_bytes)

    def texts(self) -> Iterator[str]:
        return iter(self._documents)


def _regular_file(path: Path) -> os.stat_result:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise CorpusError(f"There is no file {path}. Check the path, or fetch the corpus first.") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise CorpusError(f"{path} is not a regular file. Save its content as a file first.")
    return status


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
    if isinstance(corpus, (str, os.PathLike)):
        if isinstance(corpus, str) and corpus in CORPORA:
            name = resolve_corpus(corpus)
            return DocumentFiles(name, name)
        path = Path(corpus)
        try:
            is_text = path.is_file() and not path.name.lower().endswith(_FILES_OF_DOCUMENTS)
        except OSError as error:
            raise unreadable(path, error) from None
        # The name of the folder "." is its own name.
        return TextFiles([path]) if is_text else DocumentFiles(path.name or path.resolve().name, path)
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(path, Path) for path in corpus):
        return TextFiles(corpus)
    if isinstance(corpus, (bytes, bytearray)) or not isinstance(corpus, Iterable):
        raise TypeError(f"A corpus is a name, a path or an iterable of str, not of type {type(corpus).__name__}.")
    return Documents(cast(Iterable[str], corpus))
