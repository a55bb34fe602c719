"""Encoding a whole corpus to ids.uint32: of any size, on all cores, in bounded memory, and stoppable at any moment.

    corpus   --cut-->   shard 0, 1, 2, …   --workers-->   a file of IDs each   --in order-->   ids.uint32

A shard's IDs depend on its text alone, so any number of workers gives the same file. While the work goes on, it lies in
a folder `.NAME.encoding` beside its final place:

    journal.jsonl       what is encoded with what, then a line for each shard that is in ids.uint32
    ids.uint32          the IDs of all shards so far, in order
    shards-…/           IDs that wait for those of an earlier shard, a file each

Killed at any moment, the next call checks what is there against the corpus, cuts off what the journal does not vouch
for, and goes on with the next shard. At the end ids.uint32 goes to its final place, with tokenizer and manifest.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from g2c.common.errors import CorpusError, CourseError
from g2c.common.files import exclusive, saving, write_file
from g2c.common.progress import byte_progress
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.corpora import Corpus
from g2c.corpus.shard_encoder import Settings, ShardResult, Special, shard_encoder
from g2c.corpus.shards import SHARD_BYTES, Shard
from g2c.corpus.sources import corpus_source
from g2c.corpus.workers import run
from g2c.engine.vectorized import NO_TOKEN
from g2c.formats.artifact import artifact_folder, check_replaceable, write_artifact
from g2c.formats.manifest import IdSummary
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import fingerprint
from g2c.formats.validity import check_tokenizer
from g2c.tokenizer.base import BPEBase

JOURNAL = "journal.jsonl"


def encode_corpus(
    tokenizer: BPEBase,
    corpus: str | os.PathLike[str] | Iterable[str] | list[Path],
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    cluster: str | os.PathLike[str] | None = None,
    special: Special | None = None,
    append_separator: bool | None = None,
    train: Mapping[str, Any] | None = None,
    resume: bool = True,
    shard_bytes: int = SHARD_BYTES,
    progress: bool | None = None,
) -> Path:
    """Encode a corpus into an artifact: ids.uint32, manifest.json and the tokenizer in one folder.

    The IDs are those of `tokenizer.encode`, for every document by itself. For the gpt2 and gpt4 patterns they are
    computed in numpy (`g2c.engine.vectorized`), otherwise by the Rust library. Memory stays below 500 MB with two
    workers, whatever the size of the corpus.

    Stopped by Ctrl-C, a kill or a full disk, the same call goes on where it stopped, and ends with the same files.

    Args:
        tokenizer: a trained tokenizer.
        corpus: a text file, or a list of `Path`s of them: each is one document, taken as it is, byte for byte. Or what
            `g2c.corpus.corpora.documents` takes: a named corpus, a folder, .jsonl, .txt.gz, parquet and so on. Or any
            iterable of documents (str).
        out: the artifact's name or folder, as for `save_artifact`.
        workers: number of processes; None: one for each core.
        cluster: the address of a Dask scheduler, or its scheduler file, instead of `workers`: its workers encode the
            shards. They need the same environment, and the same folders under the same paths; see docs/cluster.md.
        special: "allow" gives special tokens in the text their IDs; "ordinary" takes them as plain characters. None:
            "allow" for plain text files, in which they are how documents end; "ordinary" for documents, whose text
            comes from anywhere: a web page that contains `<|endoftext|>` is still one document.
        append_separator: whether `<|endoftext|>` comes after each document. None: it does, if the tokenizer has it and
            the corpus is not a plain text file.
        train: how the tokenizer was trained, for manifest.json.
        resume: go on with work that was stopped; False: throw it away and start again.
        shard_bytes: about how much text a worker gets at a time. The IDs do not depend on it.
        progress: True shows a progress bar, False nothing, None a bar in a terminal or notebook only.

    Returns:
        the artifact's folder.

    Raises:
        CorpusError: the corpus is missing, not UTF-8, or has changed since the work was stopped.
        CourseError: there is stopped work with another tokenizer or other settings, or another process is at it.
        SavingError: the disk is full, the folder is read-only, ... What is done so far is kept.
        ValueError: special tokens that do not exist, or both `workers` and `cluster`.

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
    source = corpus_source(corpus)
    if special is None:
        special = "ordinary" if source.may_have_separators else "allow"
    if append_separator is None:
        append_separator = DOCUMENT_SEPARATOR in tokenizer.special_to_id and source.may_have_separators
    if append_separator and DOCUMENT_SEPARATOR not in tokenizer.special_to_id:
        raise ValueError(f"The tokenizer has no special token {DOCUMENT_SEPARATOR}, which is to come after documents.")
    folder = artifact_folder(out)
    check_replaceable(folder)
    separator_id = tokenizer.special_to_id[DOCUMENT_SEPARATOR] if append_separator else NO_TOKEN
    settings = Settings.of(tokenizer, special, separator_id)
    identity = {
        # The form of the journal. In an older one the checksums were those of each shard by itself.
        "journal": 2,
        "tokenizer": fingerprint(tokenizer),
        "corpus": source.identity(),
        "special": special,
        "append_separator": append_separator,
        "shard_bytes": shard_bytes,
    }
    with _working_folder(folder) as work, saving(folder):
        job = _Job(work, identity, tokenizer, resume=resume, is_on_cluster=cluster is not None)
        bar_of_bytes = byte_progress(progress, total=source.size, description="Encoding")
        with job.shard_folder() as shard_folder, bar_of_bytes as bar:
            shards = job.skip_finished(source.shards(settings.cutter(), shard_bytes))
            try:
                what_and_where = settings, shard_folder, cluster is not None
                done = run(shard_encoder, what_and_where, shards, workers, cluster=cluster, note=bar.note)
                with closing(done):
                    for shard, result in done:
                        job.add(shard, result)
                        bar.update(job.bytes_done, tokens=job.summary.count)
            except KeyboardInterrupt:
                bar.note("Stopped. What is done is kept; the same call goes on from here.")
                raise
        source.check_unchanged()
        corpus_entry = Corpus(source.name, "", job.bytes_done, job.corpus_digest.hexdigest())
        write_artifact(tokenizer, folder, job.place_ids, job.summary, corpus=corpus_entry, train=train)
        job.remove()
    return folder


# --- what is done and what is left ------------------------------------------------------------------------------------


@contextmanager
def _working_folder(folder: Path) -> Iterator[Path]:
    """The folder for unfinished work, for this process alone."""
    work = folder.with_name(f".{folder.name}.encoding")

    def refuse() -> None:
        raise CourseError(f"Another process is already encoding a corpus into {folder}. Wait until it is done.")

    with saving(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(work, waiting=refuse):
        yield work


class _Job:
    """The state of the work: which shards are in ids.uint32, and what they add up to."""

    def __init__(
        self, work: Path, identity: dict[str, Any], tokenizer: BPEBase, *, resume: bool, is_on_cluster: bool
    ) -> None:
        self.summary = IdSummary(tokenizer)
        self.bytes_done = 0
        self.corpus_digest = hashlib.sha256()
        self._work, self._ids_path, self._journal_path = work, work / IDS_FILE, work / JOURNAL
        self._identity, self._is_on_cluster = identity, is_on_cluster
        self._separator = DOCUMENT_SEPARATOR.encode() if identity["append_separator"] else b""
        self._finished = self._read_journal() if resume else []
        if not self._finished:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(exist_ok=True)
            self._ids_path.touch()

    def _read_journal(self) -> list[dict[str, Any]]:
        """What the journal says about each finished shard. CourseError when it is about other work."""
        if not self._journal_path.exists():
            return []
        # The last line is empty, or was cut off by a kill.
        lines = self._journal_path.read_bytes().split(b"\n")[:-1]
        identity, *finished = [json.loads(line) for line in lines] or [{}]
        for part, value in self._identity.items():
            if finished and identity.get(part) != value:
                raise CourseError(
                    f"{self._work} holds work that was stopped, with another {part.replace('_', ' ')}. "
                    "Call encode_corpus as then to go on with it, or with resume=False to start again."
                )
        return finished

    @contextmanager
    def shard_folder(self) -> Iterator[Path]:
        """A folder for what the workers of this run write. Those of a killed run, if any is left, have another one."""
        # Those on a cluster may go on for a moment after they are not wanted any more, and write once more.
        for left_over in self._work.glob("shards-*"):
            shutil.rmtree(left_over, ignore_errors=True)
        place = self._work.absolute()
        with tempfile.TemporaryDirectory(prefix="shards-", dir=place, ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    def skip_finished(self, shards: Iterator[Shard]) -> Iterator[Shard]:
        """The shards that are still to be encoded, after comparing those that are finished with the corpus."""
        lost: list[Shard] = []
        for number, entry in enumerate(self._finished):
            shard = next(shards, None)
            text = b"" if shard is None else shard.read_unchecked()
            if shard is None or _sha256(self._texts(shard, text), self.corpus_digest) != entry["text_sha256"]:
                place = "it has become shorter" if shard is None else f"{shard.place} has another text"
                raise CorpusError(
                    f"The corpus has changed since the encoding was stopped: {place}. "
                    "Bring the old one back, or use resume=False to start again."
                )
            ids = np.fromfile(self._ids_path, "<u4", count=entry["count"], offset=4 * self.summary.count)
            if _sha256([ids.data], self.summary.digest) != entry["ids_sha256"]:
                # The journal was ahead of what the disk had, as can happen when the power fails.
                lost = [shard]
                del self._finished[number:]
                break
            self.summary.add(ids)
            self._account_for_text(shard, text)
        os.truncate(self._ids_path, 4 * self.summary.count)
        write_file(self._journal_path, map(_line, [self._identity, *self._finished]))
        yield from lost
        yield from shards

    def add(self, shard: Shard, result: ShardResult) -> None:
        """Append the IDs of the next shard."""
        text, ids = shard.read_unchecked(), _read_ids(result.path)
        if self._is_on_cluster:
            _check_same_here(shard, result, text, ids)
        _at_once(lambda: self._append(ids), lambda: self.summary.add(ids), lambda: self._account_for_text(shard, text))
        # The checksums are those of all text and all IDs so far, which manifest.json needs anyway.
        checksums = {"text_sha256": self.corpus_digest.hexdigest(), "ids_sha256": self.summary.digest.hexdigest()}
        with self._journal_path.open("ab") as file:
            file.write(_line({"count": len(ids)} | checksums))
        result.path.unlink()

    def _append(self, ids: np.ndarray) -> None:
        with self._ids_path.open("ab") as file:
            file.write(ids.data)
            # At once, while others compute: at the end there would be the whole file to wait for.
            file.flush()
            os.fsync(file.fileno())

    def _account_for_text(self, shard: Shard, text: bytes) -> None:
        for part in self._texts(shard, text):
            self.corpus_digest.update(part)
            self.bytes_done += len(part)

    def _texts(self, shard: Shard, text: bytes) -> Iterator[bytes]:
        """What the shard adds to the corpus: its documents, and what separates them."""
        for document, is_complete in shard.documents(text):
            yield document
            if is_complete:
                yield self._separator

    def remove(self) -> None:
        """Remove all that is left of the work, the journal first: without it nothing else counts."""
        self._journal_path.unlink()
        shutil.rmtree(self._work, ignore_errors=True)

    def place_ids(self, path: Path) -> None:
        """Make the finished file appear under another path as well, on the disk and not only in memory."""
        try:
            os.link(self._ids_path, path)
        except OSError:
            shutil.copyfile(self._ids_path, path)
        with path.open("ab") as file:
            os.fsync(file.fileno())


def _read_ids(path: Path) -> np.ndarray:
    """What a worker has written."""
    try:
        return np.fromfile(path, "<u4")
    except FileNotFoundError:
        raise _not_shared(path, "is not here") from None


def _check_same_here(shard: Shard, result: ShardResult, text: bytes, ids: np.ndarray) -> None:
    """Raise an error when another machine has read another text, or written other IDs, than are here."""
    text_sha256, ids_sha256 = _at_once(lambda: _sha256([text]), lambda: _sha256([ids.data]))
    if text_sha256 != result.text_sha256:
        raise CorpusError(
            f"{shard.place} has another text here than where it was encoded. Did the file change just now? "
            "On a cluster, all machines must share the folder with the corpus."
        )
    if ids_sha256 != result.ids_sha256:
        raise _not_shared(result.path, "has another content here")


def _not_shared(path: Path, problem: str) -> CourseError:
    return CourseError(
        f"{path}, which a worker has written, {problem}. The folder of the artifact must be on a file system that "
        "all machines of the cluster share. What is done so far is kept."
    )


def _sha256(parts: Iterable[bytes | memoryview], after: "hashlib._Hash | None" = None) -> str:
    """The checksum of data, or of data that comes after what another checksum has seen."""
    digest = hashlib.sha256() if after is None else after.copy()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _at_once(*actions: Callable[[], Any]) -> list[Any]:
    """The results of functions, each run in a thread. Writing and checksums leave Python to the others."""
    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(lambda action: action(), actions))


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"
