"""The `corpus` argument of encoding and training, which may be a name, a path or an iterable, cut into shards.

a text file, or a list of them              TextFiles         each file is one document; its size is known
a name, folder, glob, .jsonl, parquet, …    DocumentStream    a stream of documents of unknown length
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from g2c.common.errors import CorpusError
from g2c.corpus.corpora import CORPORA, resolve_corpus, unreadable
from g2c.corpus.documents import document_parts
from g2c.corpus.shards import Cutter, Shard, document_shards, file_shards

_FILES_OF_DOCUMENTS = (".gz", ".jsonl", ".parquet")


class TextFiles:
    """A corpus of text files, each of them one document."""

    takes_separators = False
    """Whether `<|endoftext|>` is added after each document by default. Text files contain it already."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._state = self._sizes_and_times()
        self.name = paths[0].name if len(paths) == 1 else f"{len(paths)} files, {paths[0].name} to {paths[-1].name}"
        self.size = sum(size for size, _ in self._state)

    def _sizes_and_times(self) -> list[tuple[int, int]]:
        return [(status.st_size, status.st_mtime_ns) for status in map(_file_status, self._paths)]

    def check_unchanged(self) -> None:
        """Raise CorpusError if a file was changed since it was opened as a corpus."""
        if self._sizes_and_times() != self._state:
            raise CorpusError(
                f"The corpus {self.name} was changed while it was being read. Start again when it is complete."
            )

    def identity(self) -> list[Any]:
        """What has to be equal for interrupted work to continue."""
        return [self.name, *(size for size, _ in self._state)]

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        return file_shards(self._paths, cutter, shard_bytes)


def _file_status(path: Path) -> os.stat_result:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise CorpusError(f"There is no file {path}. Check the path, or fetch the corpus first.") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise CorpusError(f"{path} is not a regular file. Save its content as a file first.")
    return status


class DocumentStream:
    """A document stream of unknown length."""

    takes_separators = True
    size = None

    def __init__(self, name: str, parts: Iterable[tuple[str, bool]]) -> None:
        """Args: parts: text, and whether its document ends there."""
        self.name = name
        self._parts = parts

    def check_unchanged(self) -> None:
        """Each document is read only once, so there is nothing to compare."""

    def identity(self) -> list[Any]:
        return [self.name]

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        return document_shards(self._parts, cutter, self.name, shard_bytes)


CorpusArgument = str | os.PathLike[str] | Iterable[str] | Sequence[Path]
"""A name, a path, an iterable of documents, or the paths of text files. See `g2c.corpus.encoding.encode_corpus`."""


def corpus_input(corpus: CorpusArgument) -> TextFiles | DocumentStream:
    """The corpus that the argument of a caller refers to.

    Raises:
        TypeError: the argument is none of the above.
        CorpusError: a text file or named corpus does not exist or cannot be read.
    """
    if isinstance(corpus, (str, os.PathLike)):
        if isinstance(corpus, str) and corpus in CORPORA:
            name = resolve_corpus(corpus)
            return DocumentStream(name, document_parts(name))
        path = Path(corpus)
        try:
            is_text = path.is_file() and not path.name.lower().endswith(_FILES_OF_DOCUMENTS)
        except OSError as error:
            raise unreadable(path, error) from None
        if is_text:
            return TextFiles([path])
        # The name of the folder "." is its own name.
        return DocumentStream(path.name or path.resolve().name, document_parts(path))
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(path, Path) for path in corpus):
        return TextFiles(corpus)
    if isinstance(corpus, (bytes, bytearray)) or not isinstance(corpus, Iterable):
        raise TypeError(f"A corpus is a name, a path or an iterable of str, not of type {type(corpus).__name__}.")
    return DocumentStream("documents", ((document, True) for document in cast(Iterable[str], corpus)))
