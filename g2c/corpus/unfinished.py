"""Unfinished work on the IDs of a corpus, kept on the disk so that it can be continued at any time.

    .NAME.encoding/             beside the artifact NAME
        journal                 what is encoded, then a line for each shard that is in ids.uint32
        ids.uint32              the IDs of all shards so far, in order; at the end, it is moved into the artifact

A line of the journal contains the SHA-256 of all text and of all IDs up to the end of its shard. After a kill, the next
process compares the finished shards with the corpus and with ids.uint32, truncates the IDs that the journal does not
confirm, and continues with the next shard.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import CorpusError, CourseError, FileFormatError, MissingFileError
from g2c.common.files import locked, read_file, saving, sha256_of, write_file
from g2c.corpus.shards import Shard
from g2c.formats.manifest import IdSummary
from g2c.formats.token_ids import BLOCK_IDS, IDS_FILE, blocks_of
from g2c.tokenizer.base import BPEBase

JOURNAL = "journal"
_MAX_JOURNAL_BYTES = 256 << 20


@contextmanager
def unfinished_work(
    artifact: Path, identity: dict[str, Any], tokenizer: BPEBase, *, resume: bool = True
) -> Iterator["UnfinishedWork"]:
    """Begin or continue the work on an artifact, for this process alone. It is removed when the block ends.

    If the block raises, the work is kept for the next call, unless nothing was encoded. `identity` is everything that
    the IDs and shards depend on, as JSON values. Raises CourseError if another process is working on the artifact or
    the interrupted work has another identity, and SavingError if the disk is full in the block, and so on.
    """
    # If `artifact` is a link, beside the folder that it leads to: files can be moved only within a file system.
    folder = Path(os.path.realpath(artifact))
    folder = folder.with_name(f".{folder.name}.encoding")

    def refuse() -> None:
        raise CourseError(f"Another process is already encoding a corpus into {artifact}. Wait until it is done.")

    with saving(artifact), locked(folder, refuse):
        work, is_done = UnfinishedWork(folder, identity, IdSummary(tokenizer), resume), False
        try:
            yield work
            is_done = True
        finally:
            work.ids_file.close()
            if is_done or not (work.text_bytes or work.is_resumed):
                # The journal first: without it, what a kill leaves of the folder is ignored.
                (folder / JOURNAL).unlink(missing_ok=True)
                shutil.rmtree(folder, ignore_errors=True)


class UnfinishedWork:
    """The finished shards of a corpus: the summary of their IDs, the length of their text, and its SHA-256."""

    def __init__(self, folder: Path, identity: dict[str, Any], summary: IdSummary, resume: bool) -> None:
        self.summary = summary
        self.text_bytes, self.text_digest = 0, hashlib.sha256()
        self._folder, self._ids_path, self._journal_path = folder, folder / IDS_FILE, folder / JOURNAL
        self._identity = identity
        self._finished = self._read_journal() if resume and self._ids_path.is_file() else []
        self.is_resumed = bool(self._finished)
        if self.is_resumed and self._ids_path.stat().st_nlink > 1:
            # A killed process gave the finished IDs a second name, in an artifact, which must not change.
            shutil.copyfile(self._ids_path, folder / "copy")
            os.replace(folder / "copy", self._ids_path)
        if not self.is_resumed:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(exist_ok=True)
        self.ids_file = self._ids_path.open("r+b" if self.is_resumed else "x+b")

    def _read_journal(self) -> list[dict[str, Any]]:
        """Return the entry of each finished shard, up to the first damaged line. CourseError: it is of other work."""
        entries: list[dict[str, Any]] = []
        with suppress(FileFormatError, MissingFileError):
            # A kill truncated whatever follows the last line end.
            for line in read_file(self._journal_path, limit=_MAX_JOURNAL_BYTES).split(b"\n")[:-1]:
                checksum, _, data = line.partition(b" ")
                if checksum != _checksum(len(entries), data):
                    break
                entries.append(json.loads(data))
        found, *finished = entries or [self._identity]
        for part, value in self._identity.items():
            if finished and found.get(part) != value:
                raise CourseError(
                    f"{self._folder} contains interrupted work with another {part.replace('_', ' ')}. "
                    "Repeat that call to continue it, or start again with resume=False (--again)."
                )
        return finished

    def skip_finished(self, shards: Iterator[Shard], report: Callable[[Shard], object]) -> None:
        """Take the finished shards from `shards`; call `report` after each. CorpusError: the corpus has changed."""
        lines = [_line(0, self._identity)]
        for entry in self._finished:
            data = self.ids_file.read(4 * entry["count"])
            digest = self.summary.digest.copy()
            digest.update(data)
            if digest.hexdigest() != entry["ids_sha256"]:
                # The journal is ahead of the data on the disk, as can happen after a power failure.
                break
            shard = next(shards, None)
            self._add_text(shard.text if shard else b"")
            if shard is None or self.text_digest.hexdigest() != entry["text_sha256"]:
                raise CorpusError(
                    "The corpus has changed since the encoding was interrupted. Restore the old corpus, or start again "
                    "with resume=False (--again)."
                )
            for block in blocks_of(np.frombuffer(data, "<u4"), BLOCK_IDS):
                self.summary.add(block)
            lines.append(_line(len(lines), entry))
            report(shard)
        self.ids_file.seek(4 * self.summary.count)
        self.ids_file.truncate()
        write_file(self._journal_path, lines)
        self._line_number = len(lines)

    def add(self, text: bytes, ids: Iterable[NDArray[np.uint32]]) -> None:
        """Append the text and the IDs of the next shard."""
        before = self.summary.count
        for array in ids:
            # A block is checked, counted and written while it is in the processor's cache.
            for block in blocks_of(array.astype("<u4", copy=False), BLOCK_IDS):
                self.summary.add(block)
                self.ids_file.write(block.data)
        self.ids_file.flush()
        self._add_text(text)
        entry = {
            "count": self.summary.count - before,
            "text_sha256": self.text_digest.hexdigest(),
            "ids_sha256": self.summary.digest.hexdigest(),
        }
        with self._journal_path.open("ab") as journal:
            journal.write(_line(self._line_number, entry))
        self._line_number += 1

    def _add_text(self, text: bytes) -> None:
        self.text_digest.update(text)
        self.text_bytes += len(text)

    def finished_ids(self) -> Path:
        """Flush the file of IDs to the disk, and return its path."""
        os.fsync(self.ids_file.fileno())
        return self._ids_path


def _line(number: int, entry: dict[str, Any]) -> bytes:
    """Return a line of the journal."""
    data = json.dumps(entry).encode()
    return _checksum(number, data) + b" " + data + b"\n"


def _checksum(number: int, data: bytes) -> bytes:
    return sha256_of(b"%d " % number + data)[:16].encode()
