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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from g2c.corpora import Corpus
from g2c.corpus_shards import SHARD_BYTES, Cutter, Shard, SpecialTokens, blocks, cut_text
from g2c.corpus_source import corpus_source
from g2c.errors import CorpusError, CourseError
from g2c.files import exclusive, saving, write_file
from g2c.progress import byte_progress
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.fast import encode_ordinary_fast
from g2c.tokenizer.persistence import (
    DOCUMENT_SEPARATOR,
    IDS_FILE,
    IdSummary,
    artifact_folder,
    check_replaceable,
    fingerprint,
    write_artifact,
)
from g2c.tokenizer.splitting import is_vectorised
from g2c.tokenizer.validity import check_tokenizer
from g2c.tokenizer.vectorized import NO_TOKEN, VectorizedEncoder
from g2c.workers import run

BLOCK_BYTES = 1 << 20
"""About how much text is encoded in one go."""

RUST_BLOCK_BYTES = 256 << 10
"""The same for the Rust library, whose results pass through Python lists."""

JOURNAL = "journal.jsonl"

Special = Literal["allow", "ordinary"]


def encode_corpus(
    tokenizer: BPEBase,
    corpus: str | os.PathLike[str] | Iterable[str] | list[Path],
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    special: Special = "allow",
    append_separator: bool | None = None,
    train: Mapping[str, Any] | None = None,
    resume: bool = True,
    shard_bytes: int = SHARD_BYTES,
    progress: bool | None = None,
) -> Path:
    """Encode a corpus into an artifact: ids.uint32, manifest.json and the tokenizer in one folder.

    The IDs are those of `tokenizer.encode`, for every document by itself. For the gpt2 and gpt4 patterns they are
    computed in numpy (`g2c.tokenizer.vectorized`), otherwise by the Rust library. Memory stays below 500 MB with two
    workers, whatever the size of the corpus.

    Stopped by Ctrl-C, a kill or a full disk, the same call goes on where it stopped, and ends with the same files.

    Args:
        tokenizer: a trained tokenizer.
        corpus: a text file, or a list of `Path`s of them: each is one document, taken as it is, byte for byte. Or what
            `g2c.corpora.documents` takes: a named corpus, a folder, .jsonl, .txt.gz, parquet and so on. Or any iterable
            of documents (str).
        out: the artifact's name or folder, as for `save_artifact`.
        workers: number of processes; None: one for each core.
        special: "allow" gives special tokens in the text their IDs; "ordinary" takes them as plain characters.
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
    if special not in ("allow", "ordinary"):
        raise ValueError(f"special is 'allow' or 'ordinary', but it is {special!r}.")
    source = corpus_source(corpus)
    if append_separator is None:
        append_separator = DOCUMENT_SEPARATOR in tokenizer.special_to_id and source.may_have_separators
    if append_separator and DOCUMENT_SEPARATOR not in tokenizer.special_to_id:
        raise ValueError(f"The tokenizer has no special token {DOCUMENT_SEPARATOR}, which is to come after documents.")
    folder = artifact_folder(out)
    check_replaceable(folder)
    settings = Settings.of(tokenizer, special, append_separator)
    identity = {
        "tokenizer": fingerprint(tokenizer),
        "corpus": source.identity(),
        "special": special,
        "append_separator": append_separator,
        "shard_bytes": shard_bytes,
    }
    with _working_folder(folder) as work, saving(folder):
        job = _Job(work, identity, tokenizer, resume)
        bar_of_bytes = byte_progress(progress, total=source.size, description="Encoding")
        with job.shard_folder() as shard_folder, bar_of_bytes as bar:
            shards = job.skip_finished(source.shards(settings.cutter(), shard_bytes))
            try:
                for shard, result in run(shard_encoder, (settings, shard_folder), shards, workers):
                    job.add(shard, result)
                    bar.update(job.bytes_done, tokens=job.summary.count)
            except KeyboardInterrupt:
                bar.note("Stopped. What is done is kept; the same call goes on from here.")
                raise
        source.check_unchanged()
        corpus_entry = Corpus(source.name, "", job.bytes_done, job.corpus_digest.hexdigest())
        write_artifact(tokenizer, folder, job.place_ids, job.summary, corpus=corpus_entry, train=train)
        shutil.rmtree(work)
    return folder


# --- what a worker does -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """All that the IDs of a text depend on: a tokenizer, and what counts as a special token. Goes to every worker."""

    merges: dict[tuple[int, int], int]
    vocab: dict[int, bytes]
    byte_ids: bytes
    pattern: str | None
    special_to_id: dict[str, int]
    separator_id: int

    @classmethod
    def of(cls, tokenizer: BPEBase, special: Special, append_separator: bool) -> "Settings":
        return cls(
            merges=tokenizer.merges,
            vocab={i: token for i, token in tokenizer.vocab.items() if i not in tokenizer.special_token_ids},
            byte_ids=bytes(tokenizer.byte_ids),
            pattern=tokenizer.pattern,
            special_to_id=tokenizer.special_to_id if special == "allow" else {},
            separator_id=tokenizer.special_to_id[DOCUMENT_SEPARATOR] if append_separator else NO_TOKEN,
        )

    def cutter(self) -> Cutter:
        """Where the corpus can be cut."""
        return Cutter(self.pattern, self.vocab.values(), list(self.special_to_id))

    def text_cutter(self) -> Cutter:
        """Where the text between two special tokens can be cut."""
        return Cutter(self.pattern, self.vocab.values())


@dataclass(frozen=True)
class ShardResult:
    """Where the IDs of a shard are, how many, and the SHA-256 of its text and its IDs."""

    path: Path
    count: int
    text_sha256: str
    ids_sha256: str


def shard_encoder(settings_and_folder: tuple[Settings, Path]) -> Callable[[Shard], ShardResult]:
    """The function that encodes one shard into a file in the folder."""
    settings, folder = settings_and_folder
    encode = _numpy_encoder(settings) if is_vectorised(settings.pattern) else _rust_encoder(settings)
    special_tokens = SpecialTokens(settings.special_to_id, settings.separator_id)

    def encode_shard(shard: Shard) -> ShardResult:
        count, digest = 0, hashlib.sha256()
        text = shard.read()
        descriptor, name = tempfile.mkstemp(dir=folder)
        with open(descriptor, "wb") as file:
            for ids in encode(special_tokens.parts(shard.documents(text)), shard.place):
                data = ids.astype("<u4", copy=False).data
                file.write(data)
                digest.update(data)
                count += len(ids)
        return ShardResult(Path(name), count, hashlib.sha256(text).hexdigest(), digest.hexdigest())

    return encode_shard


_Encoder = Callable[[Iterable[bytes | int], str], Iterator[np.ndarray]]


def _numpy_encoder(settings: Settings) -> _Encoder:
    cutter = settings.text_cutter()
    special_ids = {*settings.special_to_id.values(), settings.separator_id} - {NO_TOKEN}
    encoder = VectorizedEncoder(settings.merges, settings.pattern, byte_ids=settings.byte_ids, special_ids=special_ids)

    def encode(parts: Iterable[bytes | int], place: str) -> Iterator[np.ndarray]:
        for block in blocks(parts, cutter, BLOCK_BYTES, place):
            yield encoder.encode(*block)

    return encode


def _rust_encoder(settings: Settings) -> _Encoder:
    cutter = settings.text_cutter()
    tokenizer = BPEBase()
    tokenizer.pattern, tokenizer.byte_ids = settings.pattern, settings.byte_ids
    tokenizer.merges, tokenizer.vocab = settings.merges, settings.vocab

    def encode(parts: Iterable[bytes | int], place: str) -> Iterator[np.ndarray]:
        for part in parts:
            if isinstance(part, bytes):
                for text in cut_text(part, RUST_BLOCK_BYTES, cutter, place):
                    yield np.array(encode_ordinary_fast(tokenizer, text.decode()), np.uint32)
            elif part != NO_TOKEN:
                yield np.array([part], np.uint32)

    return encode


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

    def __init__(self, work: Path, identity: dict[str, Any], tokenizer: BPEBase, resume: bool) -> None:
        self.summary = IdSummary(tokenizer)
        self.bytes_done = 0
        self.corpus_digest = hashlib.sha256()
        self._work, self._ids_path, self._journal_path = work, work / IDS_FILE, work / JOURNAL
        self._identity = identity
        self._separator = DOCUMENT_SEPARATOR.encode() if identity["append_separator"] else b""
        self._finished = self._read_journal() if resume else []
        if not self._finished:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
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
        for left_over in self._work.glob("shards-*"):
            shutil.rmtree(left_over)
        with tempfile.TemporaryDirectory(prefix="shards-", dir=self._work) as folder:
            yield Path(folder)

    def skip_finished(self, shards: Iterator[Shard]) -> Iterator[Shard]:
        """The shards that are still to be encoded, after comparing those that are finished with the corpus."""
        lost: list[Shard] = []
        for number, entry in enumerate(self._finished):
            shard = next(shards, None)
            text = b"" if shard is None else shard.read()
            if shard is None or hashlib.sha256(text).hexdigest() != entry["text_sha256"]:
                place = "it has become shorter" if shard is None else f"{shard.place} has another text"
                raise CorpusError(
                    f"The corpus has changed since the encoding was stopped: {place}. "
                    "Bring the old one back, or use resume=False to start again."
                )
            ids = np.fromfile(self._ids_path, "<u4", count=entry["count"], offset=4 * self.summary.count)
            if hashlib.sha256(ids.data).hexdigest() != entry["ids_sha256"]:
                # The journal was ahead of what the disk had, as can happen when the power fails.
                lost = [shard]
                del self._finished[number:]
                break
            self._account_for(shard, text, ids)
        os.truncate(self._ids_path, 4 * self.summary.count)
        write_file(self._journal_path, map(_line, [self._identity, *self._finished]))
        yield from lost
        yield from shards

    def add(self, shard: Shard, result: ShardResult) -> None:
        """Append the IDs of the next shard."""
        ids = np.fromfile(result.path, "<u4")
        with self._ids_path.open("ab") as file:
            file.write(ids.data)
        entry = {"count": result.count, "text_sha256": result.text_sha256, "ids_sha256": result.ids_sha256}
        with self._journal_path.open("ab") as file:
            file.write(_line(entry))
        self._account_for(shard, shard.read(), ids)
        result.path.unlink()

    def _account_for(self, shard: Shard, text: bytes, ids: np.ndarray) -> None:
        self.summary.add(ids)
        for document, is_complete in shard.documents(text):
            end = self._separator if is_complete else b""
            self.corpus_digest.update(document)
            self.corpus_digest.update(end)
            self.bytes_done += len(document) + len(end)

    def place_ids(self, path: Path) -> None:
        """Make the finished file appear under another path as well, on the disk and not only in memory."""
        with self._ids_path.open("ab") as file:
            os.fsync(file.fileno())
        try:
            os.link(self._ids_path, path)
        except OSError:
            shutil.copyfile(self._ids_path, path)


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"
