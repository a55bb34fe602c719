"""What stands behind a corpus that a caller names, and how it is cut into shards."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from g2c.common.errors import CorpusError
from g2c.corpus.corpora import CORPORA, documents, resolve_corpus
from g2c.corpus.shards import Cutter, Shard, document_shards, file_shards

_FILES_OF_DOCUMENTS = (".gz", ".jsonl", ".parquet")


class TextFiles:
    """A corpus of text files, each of them one document."""

    may_have_separators = False

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        for path in paths:
            if not path.is_file():
                raise CorpusError(f"There is no file {path}. Check the path, or fetch the corpus first.")
        self._state = self._look()
        self.name = paths[0].name if len(paths) == 1 else f"{len(paths)} files, {paths[0].name} to {paths[-1].name}"
        self.size = sum(size for size, _ in self._state)

    def _look(self) -> list[tuple[int, int]]:
        return [(status.st_size, status.st_mtime_ns) for status in (path.stat() for path in self._paths)]

    def check_unchanged(self) -> None:
        if self._look() != self._state:
            raise CorpusError(f"The corpus {self.name} was changed while it was read. Start again when it is complete.")

    def identity(self) -> list[Any]:
        return [self.name, *(size for size, _ in self._state)]

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        return file_shards(self._paths, cutter, shard_bytes)


class Documents:
    """A corpus of documents that come one after the other; how many, nobody knows."""

    may_have_separators = True
    size = None

    def __init__(self, name: str, stream: Iterable[str]) -> None:
        self.name = name
        self._stream = stream

    def check_unchanged(self) -> None:
        """Each document is read once only, so there is nothing to compare."""

    def identity(self) -> list[Any]:
        return [self.name]

    def shards(self, cutter: Cutter, shard_bytes: int) -> Iterator[Shard]:
        return document_shards(self._stream, cutter, self.name, shard_bytes)


def corpus_source(corpus: str | os.PathLike[str] | Iterable[str] | Sequence[Path]) -> TextFiles | Documents:
    """What stands behind the `corpus` that a caller gave. See `encode_corpus`."""
    if isinstance(corpus, (str, os.PathLike)):
        if corpus in CORPORA:
            name = resolve_corpus(corpus)
            return Documents(name, documents(name))
        path = Path(corpus)
        if path.is_file() and not path.name.lower().endswith(_FILES_OF_DOCUMENTS):
            return TextFiles([path])
        return Documents(path.name, documents(path))
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(path, Path) for path in corpus):
        return TextFiles(corpus)
    if isinstance(corpus, (bytes, bytearray)) or not isinstance(corpus, Iterable):
        raise TypeError(f"A corpus is a name, a path or an iterable of str, not of type {type(corpus).__name__}.")
    return Documents("documents", corpus)
