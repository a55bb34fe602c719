"""Encoding a whole corpus to ids.uint32: of any size, on all cores, in bounded memory, and resumable at any time.

    corpus   --cut-->   shard 0, 1, 2, …   --workers-->   the IDs of each   --in order-->   ids.uint32

The IDs of a shard depend only on its text, so the file does not depend on the number of workers. Unfinished work is
kept in a folder `.NAME.encoding` beside the artifact:

    journal         the corpus, tokenizer and settings, then a line for each shard that is in ids.uint32
    ids.uint32      the IDs of all shards so far, in order

If the process is killed, the next call compares this with the corpus, truncates what the journal does not confirm, and
continues with the next shard. At the end ids.uint32 is moved into the artifact, with tokenizer and manifest. It is
published only if it is the file that this process wrote, and no other program has changed it or the corpus meanwhile.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import CorpusError, CourseError, FileFormatError, MissingFileError
from g2c.common.files import (
    FileState,
    exclusive,
    exists,
    file_state,
    read_file,
    saving,
    sha256_of,
    sha256_of_file,
    write_file,
)
from g2c.common.progress import Progress, byte_progress
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import Corpus
from g2c.corpus.inputs import CorpusArgument, corpus_input
from g2c.corpus.shard_encoder import Settings, ShardResult, Special, shard_encoder
from g2c.corpus.shards import SHARD_BYTES, Shard
from g2c.corpus.workers import run
from g2c.engine.encoding import NO_TOKEN
from g2c.formats.artifact import artifact_folder, check_replaceable, write_artifact
from g2c.formats.manifest import IdSummary
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import fingerprint
from g2c.formats.validity import check_tokenizer
from g2c.tokenizer.base import BPEBase

JOURNAL = "journal"
_MAX_JOURNAL_BYTES = 256 << 20


def encode_corpus(
    tokenizer: BPEBase,
    corpus: CorpusArgument,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | os.PathLike[str] | None = None,
    special: Special | None = None,
    append_separator: bool | None = None,
    train: Mapping[str, Any] | None = None,
    resume: bool = True,
    shard_bytes: int = SHARD_BYTES,
    progress: Progress = None,
) -> Path:
    """Encode a corpus into an artifact: ids.uint32, manifest.json and the tokenizer in one folder.

    The IDs are those of `tokenizer.encode` for each document separately (`g2c.engine.encoding`). With two workers,
    memory stays below 500 MB for a corpus of any size. A text that cannot be cut, such as megabytes of letters without
    a space, takes 40 bytes of memory for each of its bytes: at most 16 MB of it are encoded.

    After Ctrl-C, a kill or a full disk, the same call continues where it stopped, and ends with the same files.

    Args:
        tokenizer: a trained tokenizer.
        corpus: a text file, or a list of `Path`s of text files: each is one document, used byte for byte. Or what
            `g2c.corpus.documents.documents` takes: a named corpus, a folder, .jsonl, .txt.gz, parquet and so on. Or any
            iterable of documents (str).
        out: the artifact's name or folder, as for `save_artifact`.
        workers: number of threads; None means one for each core.
        cluster: the address of a Dask scheduler, or its scheduler file, instead of `workers`: its workers encode the
            shards. They need the same environment, and the corpus under the same path; see docs/cluster.md.
        special: "allow" gives special tokens in the text their IDs; "ordinary" treats them as plain text. None means
            "allow" for plain text files, in which they separate documents, and "ordinary" for documents, whose text is
            arbitrary: a web page that contains `<|endoftext|>` is still one document.
        append_separator: whether to add `<|endoftext|>` after each document. None means yes, if the tokenizer has it
            and the corpus is not a plain text file.
        train: how the tokenizer was trained, for manifest.json.
        resume: True continues interrupted work; False discards it and starts again.
        shard_bytes: approximate size of the text that a worker gets at a time. The IDs do not depend on it.
        progress: True shows a progress bar, False nothing, None a bar in a terminal or notebook only.

    Returns:
        the artifact's folder.

    Raises:
        CorpusError: the corpus is missing, not UTF-8, or has changed since the work was interrupted.
        CourseError: there is interrupted work with another tokenizer or other settings, or another process is encoding
            into the same folder.
        SavingError: the disk is full, the folder is read-only, ... The work done so far is kept.
        ValueError: the tokenizer lacks the separator, or both `workers` and `cluster` are given.

    >>> import tempfile
    >>> from g2c.tokenizer import BPETokenizer, load_artifact
    >>> tokenizer = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
    >>> tokenizer.merges[104, 105] = 257
    >>> tokenizer.vocab[257] = b"hi"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_artifact(encode_corpus(tokenizer, iter(["hi", "oh"]), folder + "/chat")).ids.tolist()
    [257, 256, 111, 104, 256]
    """
    check_tokenizer(tokenizer)
    if special not in ("allow", "ordinary", None):
        raise ValueError(f"special is 'allow', 'ordinary' or None, but it is {special!r}.")
    source = corpus_input(corpus)
    if special is None:
        special = "allow" if source.is_text else "ordinary"
    if append_separator is None:
        append_separator = DOCUMENT_SEPARATOR in tokenizer.special_to_id and not source.is_text
    if append_separator and DOCUMENT_SEPARATOR not in tokenizer.special_to_id:
        raise ValueError(f"The tokenizer has no special token {DOCUMENT_SEPARATOR} to add after each document.")
    folder = artifact_folder(out)
    check_replaceable(folder)
    separator_id = tokenizer.special_to_id[DOCUMENT_SEPARATOR] if append_separator else NO_TOKEN
    settings = Settings.of(tokenizer, special, separator_id)
    identity = {
        "tokenizer": fingerprint(tokenizer),
        "corpus": source.name,
        "special": special,
        "append_separator": append_separator,
        "shard_bytes": shard_bytes,
    }
    with working_folder(folder) as work, saving(folder), closing(_Job(work, identity, tokenizer, resume)) as job:
        shards = job.skip_finished(source.shards(settings.cutter(), shard_bytes))
        job_of_workers = settings, cluster is not None
        try:
            with (
                byte_progress(progress, total=source.size, description="Encoding") as bar,
                closing(run(shard_encoder, job_of_workers, shards, workers, cluster=cluster, notify=bar.note)) as done,
            ):
                if job.damage:
                    bar.note(job.damage)
                try:
                    for shard, result in done:
                        job.add(shard, result)
                        bar.update(job.bytes_done, tokens=job.summary.count)
                except KeyboardInterrupt:
                    bar.note("Stopped. The work done so far is kept; the same call continues from here.")
                    raise
            source.check_unchanged()
            corpus_entry = Corpus(source.name, "", job.bytes_done, job.corpus_digest.hexdigest())
            write_artifact(tokenizer, folder, job.place_ids, job.summary, corpus=corpus_entry, train=train)
        except BaseException:
            if not job.bytes_done and not job.is_resumed:
                # Nothing was encoded, so nothing is left behind.
                job.remove()
            raise
        job.remove()
    return folder


# --- finished and unfinished work -------------------------------------------------------------------------------------


@contextmanager
def working_folder(folder: Path) -> Iterator[Path]:
    """The folder `.NAME.encoding` for unfinished work on an artifact, locked for this process.

    Raises:
        CourseError: another process is encoding into the folder.
    """
    work = folder.with_name(f".{folder.name}.encoding")

    def refuse() -> None:
        raise CourseError(f"Another process is already encoding a corpus into {folder}. Wait until it is done.")

    with saving(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(work, waiting=refuse):
        yield work


class _Job:
    """The state of the work: which shards are in ids.uint32, and the summary of their IDs and text.

    Attributes:
        is_resumed: whether this is interrupted work.
        damage: a sentence for the user if the journal was damaged; else empty.
    """

    def __init__(self, work: Path, identity: dict[str, Any], tokenizer: BPEBase, resume: bool) -> None:
        self.summary = IdSummary(tokenizer)
        self.bytes_done = 0
        self.corpus_digest = hashlib.sha256()
        self.damage = ""
        self._work, self._ids_path, self._journal_path = work, work / IDS_FILE, work / JOURNAL
        self._identity = identity
        self._separator = DOCUMENT_SEPARATOR.encode() if identity["append_separator"] else b""
        self._finished = self._read_journal() if resume and self._ids_path.is_file() else []
        self.is_resumed = bool(self._finished)
        if not self.is_resumed:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(exist_ok=True)
        elif self._ids_path.stat().st_nlink > 1:
            # A kill came after the file was linked into an artifact, which must not change any more.
            copy = work / f"{IDS_FILE}.copy"
            shutil.copyfile(self._ids_path, copy)
            copy.replace(self._ids_path)
        self._ids_file = self._ids_path.open("r+b" if self.is_resumed else "x+b")
        self._ids_state = _content_state(os.fstat(self._ids_file.fileno()))

    def close(self) -> None:
        """Close the file of IDs."""
        self._ids_file.close()

    def _read_journal(self) -> list[dict[str, Any]]:
        """The journal entry of each finished shard, up to the first damaged line.

        Raises:
            CourseError: the journal belongs to other work.
        """
        if not exists(self._journal_path):
            return []
        entries: list[dict[str, Any]] = []
        try:
            # What follows the last line end was truncated by a kill.
            for line in read_file(self._journal_path, limit=_MAX_JOURNAL_BYTES).split(b"\n")[:-1]:
                entries.append(_read_line(line, len(entries)))
        except (FileFormatError, MissingFileError):
            self.damage = f"Line {len(entries) + 1} of {self._journal_path} is damaged. The work continues from there."
        identity, *finished = entries or [{}]
        for part, value in self._identity.items():
            if finished and identity.get(part) != value:
                raise CourseError(
                    f"{self._work} contains interrupted work with another {part.replace('_', ' ')}. "
                    "Repeat that call to continue it, or start again with resume=False (--again)."
                )
        return finished

    def skip_finished(self, shards: Iterator[Shard]) -> Iterator[Shard]:
        """The shards still to be encoded, after comparing the finished ones with the corpus."""
        lost: list[Shard] = []
        for number, entry in enumerate(self._finished):
            shard = next(shards, None)
            text = b"" if shard is None else shard.read()
            if shard is None or _digest_of(self._texts(shard, text), self.corpus_digest) != entry["text_sha256"]:
                change = "it has become shorter" if shard is None else f"the text of {shard.location} is different"
                raise CorpusError(
                    f"The corpus has changed since the encoding was interrupted: {change}. "
                    "Restore the old corpus, or start again with resume=False (--again)."
                )
            data = self._ids_file.read(4 * entry["count"])
            if _digest_of([data], self.summary.digest) != entry["ids_sha256"]:
                # The journal is ahead of the data on the disk, as can happen after a power failure.
                lost = [shard]
                del self._finished[number:]
                break
            ids = np.frombuffer(data, "<u4")
            self.summary.add(ids)
            self._add_text(shard, text)
        self._ids_file.seek(4 * self.summary.count)
        self._ids_file.truncate()
        self._ids_state = _content_state(os.fstat(self._ids_file.fileno()))
        lines = [_line(number, entry) for number, entry in enumerate([self._identity, *self._finished])]
        write_file(self._journal_path, lines)
        self._lines = len(lines)
        yield from lost
        yield from shards

    def add(self, shard: Shard, result: ShardResult) -> None:
        """Append the IDs of the next shard."""
        text = shard.read() if result.text is None else result.text
        if result.text_sha256 is not None and sha256_of(text) != result.text_sha256:
            raise CorpusError(
                f"The text of {shard.location} is different here and on the worker that encoded it. Did the file "
                "change just now? On a cluster, all machines must share the folder with the corpus."
            )
        before = self.summary.count
        self._append(result.ids)
        self._add_text(shard, text)
        # The checksums are those of all text and all IDs so far, which manifest.json needs as well.
        checksums = {"text_sha256": self.corpus_digest.hexdigest(), "ids_sha256": self.summary.digest.hexdigest()}
        with self._journal_path.open("ab") as file:
            file.write(_line(self._lines, {"count": self.summary.count - before} | checksums))
        self._lines += 1

    def _append(self, arrays: Iterable[NDArray[np.uint32]]) -> None:
        self._check_ids_file(self._ids_path)
        for ids in arrays:
            self._ids_file.write(ids.astype("<u4", copy=False).data)
            self.summary.add(ids)
        # Flushed now, while workers compute, so that there is no long wait at the end.
        self._ids_file.flush()
        # At once after the last write: what another program changes from now on is noticed.
        self._ids_state = _content_state(os.fstat(self._ids_file.fileno()))
        os.fsync(self._ids_file.fileno())

    def _check_ids_file(self, path: Path) -> None:
        """Check that `path` is the file that this process wrote, as it was after its last write.

        Raises:
            CourseError: another program removed, replaced or changed it.
        """
        try:
            state = _content_state(path.stat())
        except FileNotFoundError:
            state = None
        if state != self._ids_state or self._ids_state.size != 4 * self.summary.count:
            raise CourseError(
                f"Another program removed or changed {self._ids_path} while the corpus was being encoded. "
                "Repeat the call; it encodes what is missing."
            )

    def _add_text(self, shard: Shard, text: bytes) -> None:
        for part in self._texts(shard, text):
            self.corpus_digest.update(part)
            self.bytes_done += len(part)

    def _texts(self, shard: Shard, text: bytes) -> Iterator[bytes]:
        """The parts of the corpus in the shard: its documents and their separators."""
        for document, is_complete in shard.documents(text):
            yield document
            if is_complete:
                yield self._separator

    def remove(self) -> None:
        """Remove the folder. The journal first: without it the other files are ignored."""
        self._journal_path.unlink(missing_ok=True)
        shutil.rmtree(self._work, ignore_errors=True)

    def place_ids(self, path: Path) -> None:
        """Make the finished file available under another path as well.

        Raises:
            CourseError: another program removed, replaced or changed the file.
        """
        self._check_ids_file(self._ids_path)
        try:
            os.link(self._ids_path, path)
        except OSError:
            # The file system has no links.
            self._ids_file.seek(0)
            with path.open("xb") as copy:
                shutil.copyfileobj(self._ids_file, copy, 1 << 20)
                copy.flush()
                os.fsync(copy.fileno())
            if sha256_of_file(path) == self.summary.digest.hexdigest():
                return
        self._check_ids_file(path)


def _content_state(status: os.stat_result) -> FileState:
    """The state of a file, whatever links it has: the finished file is linked into the artifact."""
    return file_state(status)._replace(changed=0)


def _digest_of(parts: Iterable[bytes | memoryview], after: "hashlib._Hash | None" = None) -> str:
    """The checksum of these parts, or of the data of another checksum followed by these parts."""
    digest = hashlib.sha256() if after is None else after.copy()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _line(number: int, entry: dict[str, Any]) -> bytes:
    """A line of the journal: a checksum, the number of the line, and the entry."""
    data = json.dumps([number, entry]).encode()
    return f"{sha256_of(data)[:16]} ".encode() + data + b"\n"


def _read_line(line: bytes, number: int) -> dict[str, Any]:
    """The entry in the line of this number. Raises FileFormatError if the line is damaged, or is another one."""
    checksum, _, data = line.partition(b" ")
    if checksum != sha256_of(data)[:16].encode():
        raise FileFormatError("The checksum of the line is different.")
    found, entry = json.loads(data)
    if found != number:
        raise FileFormatError("The line has another number.")
    return cast(dict[str, Any], entry)
