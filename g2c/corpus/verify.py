"""Verifying an artifact: everything that its files state is computed again and compared.

`load_artifact` stops at the first error. Here every check that is still possible is made and reported separately, so
that the report on a damaged artifact also shows which parts of it are intact:

    manifest.json     are the other files those that were saved?
    tokenizer.json    does each learned token encode to itself? do the libraries give the same IDs on samples?
    ids.uint32        is each ID a token? decoded, is it the corpus? encoded again, is it the same?

None of this uses code that students write.
"""

import hashlib
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tokenizers
from numpy.typing import NDArray

from g2c.common.errors import CorpusError, CourseError, FileFormatError, MissingFileError
from g2c.common.files import exists, read_file, restore_folder, sha256_of, size_of
from g2c.common.packages import install_command
from g2c.common.progress import byte_progress
from g2c.common.text import DOCUMENT_SEPARATOR, printable
from g2c.corpus.corpora import CORPORA, corpus_is_here, load_corpus
from g2c.corpus.documents import documents
from g2c.corpus.shards import MAX_DOCUMENT_BYTES, Cutter
from g2c.corpus.workers import run
from g2c.engine.decoding import Decoder
from g2c.engine.encoding import NO_TOKEN, Encoder, Parts, Tables
from g2c.engine.fast import encode_fast, encode_plainly
from g2c.formats.artifact import artifact_folder
from g2c.formats.interop import to_tiktoken
from g2c.formats.manifest import CHECKSUMS, IdSummary, check_size, differences, manifest_content, read_manifest
from g2c.formats.merge_table import merge_table
from g2c.formats.token_ids import IDS_FILE, blocks_of, known_ids, load_token_ids, unknown_ids
from g2c.formats.tokenizer_json import (
    CONFIG_FILE,
    MANIFEST_FILE,
    TEMPLATE_FILE,
    TOKENIZER_FILE,
    parse_tokenizer,
    render_files,
    render_tokenizer,
    size_limit,
)
from g2c.formats.validity import UnsupportedTokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.special_tokens import split_at_special_tokens

_BLOCK = 1 << 18
_CHUNK, _TAIL = 1 << 20, 1 << 12
"""IDs that are encoded again at a time, and IDs at their end among which a place to cut is looked for."""

_SAMPLE_TOKENS = 200
_READ_IN_ANY_CASE = 256 << 20
"""A file of IDs up to this size is read even if its size is not the one in the manifest: its checksum shows which of
the two is wrong."""

SAMPLES = (
    "",
    "The quick brown fox jumps over the lazy dog. It's 3.14159, they'll say; WE'VE 1234567 of them!",
    "def f(x):\n    return {'a': [x, 0x1F]}  # \t tabs\r\n\r\n\n   \n",
    "Çà et là, naïve café; Ελληνικά, русский, עברית, العربية, हिन्दी, 中文字符, 日本語, 한국어",
    "\U0001f44b\U0001f3fd \U0001f468\u200d\U0001f469\u200d\U0001f467 \u0301\u0301 \ufeff\u00a0",
    "\u2003\u3000 \u017f's \x00\x7f\U0010ffff",
    " " * 50 + "a" * 50 + "  b \n" * 10 + "the" * 20,
    "<|endoftext|> <|endoftext| > <||end|> <|end|",
)
"""Texts on which the libraries must agree: words, code, scripts, combining marks, runs, and near-special tokens."""


class Check(NamedTuple):
    """The result of one check.

    Attributes:
        passed: True or False; None if the check was not possible for a reason outside the artifact, given in `detail`.
        subject: what was checked: a file name or a few words.
        detail: what was found, or what differs.
    """

    passed: bool | None
    subject: str
    detail: str


def verify(name_or_folder: str | os.PathLike[str], *, progress: bool | None = None) -> Iterator[Check]:
    """Check everything about an artifact. Each result is yielded as soon as it is available.

    Args:
        name_or_folder: as for `load_artifact`.
        progress: of encoding the corpus again, the longest part; as for `BPETokenizer.train`.

    Raises:
        MissingFileError: there is no such artifact.

    >>> import tempfile
    >>> from g2c.tokenizer import BPETokenizer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = BPETokenizer().save_artifact(folder + "/bytes", iter(b"hello"))
    ...     all(check.passed is not False for check in verify(path))
    True
    """
    folder = artifact_folder(name_or_folder)
    restore_folder(folder)
    if not (exists(folder) and folder.is_dir()):
        raise MissingFileError(f"There is no artifact {folder}. Check the name, or train and save it first.")
    manifest = yield from _check_manifest(folder / MANIFEST_FILE)
    tokenizer = yield from _check_tokenizer_file(folder / TOKENIZER_FILE, manifest)
    for name in _names_beside(manifest, tokenizer):
        yield from _check_file_beside(folder / name, manifest, tokenizer)
    ids = yield from _check_ids(folder / IDS_FILE, manifest, tokenizer)
    if tokenizer is None:
        yield Check(None, "contents", f"cannot be compared because {TOKENIZER_FILE} is damaged")
        return
    if ids is not None:
        if manifest is not None:
            yield from _check_description(folder, manifest, tokenizer, ids)
        yield from _check_corpus(manifest, tokenizer, ids)
        yield from _check_encoding(tokenizer, ids, _boundaries_are_known(manifest, tokenizer, ids), progress)
    yield from check_agreement(tokenizer, _samples(tokenizer, ids))


# --- the files --------------------------------------------------------------------------------------------------------


def _check_manifest(path: Path) -> Generator[Check, None, dict[str, Any] | None]:
    try:
        manifest = read_manifest(path)
    except CourseError as error:
        yield Check(False, path.name, str(error))
        return None
    yield Check(True, path.name, "its own checksum matches")
    return manifest


def _check_tokenizer_file(path: Path, manifest: dict[str, Any] | None) -> Generator[Check, None, BPEBase | None]:
    data = yield from _check_checksum(path, manifest, "tokenizer", "sha256")
    if data is None:
        return None
    try:
        tokenizer = parse_tokenizer(data, path, BPEBase)
    except FileFormatError as error:
        yield Check(False, path.name, str(error))
        return None
    yield Check(
        True,
        path.name,
        f"{tokenizer.vocab_size:,} tokens; each of the {len(tokenizer.merges):,} learned tokens encodes to itself",
    )
    yield _same_content(path.name, data, render_tokenizer(tokenizer), "as the course writes it")
    rust = tokenizers.Tokenizer.from_str(data.decode()).to_str(pretty=True)
    yield _same_content(path.name, data, rust.encode(), "as the library tokenizers writes it")
    return tokenizer


def _names_beside(manifest: dict[str, Any] | None, tokenizer: BPEBase | None) -> list[str]:
    """The files that belong to tokenizer.json, according to the tokenizer, or else to the manifest."""
    if tokenizer is not None:
        return [name for name in render_files(tokenizer) if name != TOKENIZER_FILE]
    has_template = manifest is not None and manifest["tokenizer"].get(CHECKSUMS[TEMPLATE_FILE])
    return [CONFIG_FILE, TEMPLATE_FILE] if has_template else [CONFIG_FILE]


def _check_file_beside(path: Path, manifest: dict[str, Any] | None, tokenizer: BPEBase | None) -> Iterator[Check]:
    data = yield from _check_checksum(path, manifest, "tokenizer", CHECKSUMS[path.name])
    if data is not None and tokenizer is not None:
        yield _same_content(path.name, data, render_files(tokenizer)[path.name], f"as {TOKENIZER_FILE} requires")


def _check_checksum(
    path: Path, manifest: dict[str, Any] | None, part: str, name: str
) -> Generator[Check, None, bytes | None]:
    """Yield whether the file has the checksum in the manifest; return its content, None if it cannot be read."""
    try:
        data = read_file(path, limit=size_limit(path.name))
    except CourseError as error:
        yield Check(False, path.name, str(error))
        return None
    yield _checksum(path.name, sha256_of(data), manifest, part, name)
    return data


def _checksum(file: str, found: str, manifest: dict[str, Any] | None, part: str, name: str) -> Check:
    if manifest is None:
        return Check(None, file, f"{MANIFEST_FILE}, which contains its checksum, is damaged")
    expected = printable(manifest[part].get(name))
    if expected != found:
        return Check(False, file, f"its SHA-256 is {found[:16]}…, but {MANIFEST_FILE} has {expected[:16]}…")
    return Check(True, file, f"SHA-256 {found[:16]}… as in {MANIFEST_FILE}")


def _same_content(file: str, data: bytes, expected: bytes, what: str) -> Check:
    offset = _first_difference([data], [expected])
    if offset is None:
        return Check(True, file, f"byte for byte {what}")
    here, there = data[offset : offset + 20], expected[offset : offset + 20]
    return Check(False, file, f"not {what}: byte {offset:,} begins {here!r} instead of {there!r}")


def _check_ids(
    path: Path, manifest: dict[str, Any] | None, tokenizer: BPEBase | None
) -> Generator[Check, None, NDArray[np.uint32] | None]:
    """Yield whether the IDs are those that were saved, and whether all are tokens; return them if so, else None."""
    try:
        if manifest is not None and size_of(path) > _READ_IN_ANY_CASE:
            check_size(path, manifest)
        ids = load_token_ids(path, mmap=True)
    except CourseError as error:
        yield Check(False, path.name, str(error))
        return None
    digest = hashlib.sha256()
    for block in blocks_of(ids, _BLOCK):
        digest.update(block.data)
    yield _checksum(path.name, digest.hexdigest(), manifest, "ids", "sha256")
    if tokenizer is None:
        return None
    known = known_ids(tokenizer)
    first = 0
    for block in blocks_of(ids, _BLOCK):
        unknown = unknown_ids(block, known)
        if unknown.any():
            index = int(np.argmax(unknown))
            wrong = f"ID number {first + index:,} is {block[index]}"
            is_beyond = block[index] > known[-1]
            reason = f"but the highest is {known[-1]:,}" if is_beyond else "which is not the ID of a token"
            yield Check(False, path.name, f"{wrong}, {reason}")
            return None
        first += len(block)
    yield Check(True, path.name, f"{len(ids):,} IDs, each that of a token")
    return ids


def _check_description(
    folder: Path, manifest: dict[str, Any], tokenizer: BPEBase, ids: NDArray[np.uint32]
) -> Iterator[Check]:
    summary = IdSummary(tokenizer)
    for block in blocks_of(ids, _BLOCK):
        summary.add(block)
    origin = {part: manifest[part] for part in ("corpus", "train", "software")}
    try:
        files = {name: read_file(folder / name, limit=size_limit(name)) for name in render_files(tokenizer)}
    except CourseError:
        return  # The check of that file has reported it.
    found = manifest_content(tokenizer, files, summary, origin)
    summaries = {
        "ids": f"{summary.count:,} IDs from {summary.min_id} to {summary.max_id}",
        "documents": f"documents: {summary.documents:,}",
        "tokenizer": f"fingerprint {found['tokenizer']['fingerprint'][:16]}…",
    }
    for part, difference in differences(manifest, found):
        if difference is not None:
            yield Check(False, MANIFEST_FILE, difference)
        elif part in summaries:
            yield Check(True, MANIFEST_FILE, summaries[part])


# --- the corpus -------------------------------------------------------------------------------------------------------


def _check_corpus(manifest: dict[str, Any] | None, tokenizer: BPEBase, ids: NDArray[np.uint32]) -> Iterator[Check]:
    """Check that the decoded IDs are the corpus recorded in the manifest, and the corpus in the data folder."""
    size, digest = 0, hashlib.sha256()
    for data in _decoded(tokenizer, ids):
        size += len(data)
        digest.update(data)
    found = digest.hexdigest()
    corpus = manifest and manifest["corpus"]
    if not corpus:
        yield Check(None, IDS_FILE, f"decoded, {size:,} bytes; {MANIFEST_FILE} names no corpus to compare with")
        return
    name = corpus.get("name")
    shown_name = printable(name)
    matches = (corpus.get("bytes"), corpus.get("sha256")) == (size, found)
    yield Check(
        matches,
        IDS_FILE,
        f"decoded, it has the {size:,} bytes and the SHA-256 of the corpus {shown_name}"
        if matches
        else f"decoded, it has {size:,} bytes and the SHA-256 {found[:16]}…; the corpus {shown_name} has "
        f"{corpus.get('bytes')!r} and {printable(corpus.get('sha256'))[:16]}…",
    )
    if not isinstance(name, str) or name not in CORPORA or not corpus_is_here(name):
        yield Check(None, IDS_FILE, f"the corpus {shown_name} is not in the data folder, so it is not compared")
        return
    try:
        offset = _first_difference(_decoded(tokenizer, ids), _corpus(name, tokenizer, ids))
    except CorpusError as error:
        yield Check(None, IDS_FILE, str(error))
        return
    if offset is None:
        yield Check(True, IDS_FILE, f"decoded, it is the corpus {name} in the data folder, byte for byte")
    elif matches:
        yield Check(None, IDS_FILE, f"the corpus {name} in the data folder is different from byte {offset:,} on")
    else:
        ends = np.cumsum(Decoder(tokenizer.vocab).lengths(ids))
        number = int(np.searchsorted(ends, offset, side="right"))
        yield Check(
            False, IDS_FILE, f"decoded, it differs from the corpus {name} at byte {offset:,}, ID number {number:,}"
        )


def _corpus(name: str, tokenizer: BPEBase, ids: NDArray[np.uint32]) -> Iterator[bytes]:
    if not len(ids) or ids[-1] != tokenizer.special_to_id.get(DOCUMENT_SEPARATOR):
        yield load_corpus(name).text.encode()
        return
    for document in documents(name):
        yield document.encode()
        yield DOCUMENT_SEPARATOR.encode()


def _boundaries_are_known(manifest: dict[str, Any] | None, tokenizer: BPEBase, ids: NDArray[np.uint32]) -> bool:
    """Whether the IDs show where each document ends. Without separators, a document may end anywhere."""
    if manifest is not None and manifest["train"].get("algorithm") == "train_exact":
        return True  # train_exact takes a single text.
    return len(ids) > 0 and ids[-1] == tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)


def _check_encoding(
    tokenizer: BPEBase, ids: NDArray[np.uint32], boundaries_are_known: bool, progress: bool | None
) -> Iterator[Check]:
    """Check that decoding the IDs and encoding the text again gives the same IDs."""
    job = _RoundTrip(tokenizer)
    done = 0
    try:
        with (
            byte_progress(progress, total=4 * len(ids), description="Encoding again") as bar,
            closing(run(_round_trip, job, job.chunks(ids))) as chunks,
        ):
            for here, back in chunks:
                if not np.array_equal(here, back):
                    difference = _encoding_difference(done, here, back)
                    yield (
                        Check(False, IDS_FILE, difference)
                        if boundaries_are_known
                        else Check(None, IDS_FILE, f"{difference}: correct only if a document begins near there")
                    )
                    return
                done += len(back)
                bar.update(4 * done)
    except UnicodeDecodeError:
        yield Check(False, IDS_FILE, f"after ID number {done:,}, it does not decode to UTF-8 text")
        return
    except CorpusError as error:
        yield Check(None, IDS_FILE, f"it cannot be encoded again in parts: {error}")
        return
    yield Check(True, IDS_FILE, f"decoded and encoded again, it gives the same {done:,} IDs")


def _encoding_difference(done: int, here: NDArray[np.uint32], back: NDArray[np.uint32]) -> str:
    common = min(len(here), len(back))
    differs = np.flatnonzero(here[:common] != back[:common])
    index = int(differs[0]) if len(differs) else common
    found = f"not {here[index]}" if index < len(here) else "after the last one in the file"
    return f"decoded and encoded again, ID number {done + index:,} is {back[index]}, {found}"


class _RoundTrip:
    """What the round trip from IDs to text and back needs of a tokenizer."""

    def __init__(self, tokenizer: BPEBase) -> None:
        self.special_ids = sorted(tokenizer.special_token_ids)
        self.tables = Tables.of_table(merge_table(tokenizer), tokenizer.pattern)
        # Special tokens have no bytes here: the text around them is encoded without them.
        self.vocab = {i: b"" if i in tokenizer.special_token_ids else token for i, token in tokenizer.vocab.items()}
        self.decoder = Decoder(self.vocab)
        self._cutter = Cutter(tokenizer.pattern, self.vocab.values())

    def chunks(self, ids: NDArray[np.uint32]) -> Iterator[NDArray[np.uint32]]:
        """The IDs in chunks of about `_CHUNK`, whose texts can be encoded independently.

        Raises:
            CorpusError: a document without a safe cut is too long.
        """
        begin = 0
        while begin < len(ids):
            end = begin + _CHUNK
            while end < len(ids) and not (border := self._last_border(ids, begin, end)):
                end += _CHUNK
                if end - begin > MAX_DOCUMENT_BYTES:
                    raise CorpusError(
                        f"a document has more than {end - begin:,} IDs without a place where it can be cut"
                    )
            end = border if end < len(ids) else len(ids)
            yield ids[begin:end]
            begin = end

    def _last_border(self, ids: NDArray[np.uint32], begin: int, end: int) -> int:
        """The last index near `end` at which the IDs can be cut: after a special token, or where the text can. Or 0."""
        first = max(begin, end - _TAIL)
        tail = ids[first:end]
        special = np.flatnonzero(np.isin(tail, self.special_ids))
        if len(special):
            return first + int(special[-1]) + 1
        ends = np.cumsum(self.decoder.lengths(tail))
        cuts = np.flatnonzero(np.isin(ends, self._cutter.cuts(self.decoder.decode(tail))))
        return first + int(cuts[-1]) + 1 if len(cuts) else 0


def _round_trip(job: _RoundTrip) -> Callable[[NDArray[np.uint32]], NDArray[np.uint32]]:
    """A function that decodes IDs and encodes the text again, for one thread."""
    encoder = Encoder(job.tables)

    def round_trip(ids: NDArray[np.uint32]) -> NDArray[np.uint32]:
        text = job.decoder.decode(ids)
        special = np.flatnonzero(np.isin(ids, job.special_ids))
        borders = np.cumsum(job.decoder.lengths(ids))[special]
        begins, ends = np.append(0, borders), np.append(borders, len(text))
        for begin, end in zip(begins.tolist(), ends.tolist()):
            text[begin:end].decode()
        parts = Parts(begins, ends, np.append(ids[special].astype(np.int64), NO_TOKEN))
        return np.concatenate([np.zeros(0, np.uint32), *encoder.encode(text, parts)])

    return round_trip


# --- the libraries ----------------------------------------------------------------------------------------------------


def check_agreement(tokenizer: BPEBase, samples: Iterable[str] = SAMPLES) -> Iterator[Check]:
    """Check that the plain algorithm, `encode_fast`, `tokenizers` and, if installed, tiktoken give the same IDs.

    Args:
        tokenizer: one that `check_tokenizer` accepts.
        samples: short texts, because the plain algorithm is slow.
    """
    samples = list(samples)
    expected = [_encode(tokenizer, text) for text in samples]
    rust = tokenizers.Tokenizer.from_str(render_tokenizer(tokenizer).decode())
    yield _agreement("encode_fast", samples, expected, [encode_fast(tokenizer, text) for text in samples])
    yield _agreement("tokenizers", samples, expected, [rust.encode(text).ids for text in samples])
    back = [rust.decode(ids, skip_special_tokens=False) for ids in expected]
    wrong = next((text for text, decoded in zip(samples, back) if text != decoded), None)
    yield Check(wrong is None, "tokenizers", f"decodes the IDs of {_all(samples) if wrong is None else repr(wrong)}")
    try:
        encoding = to_tiktoken(tokenizer)
    except ModuleNotFoundError:
        yield Check(None, "tiktoken", f"is not installed ({install_command('tiktoken')})")
        return
    except UnsupportedTokenizer as error:
        yield Check(None, "tiktoken", str(error))
        return
    found = [encoding.encode(text, allowed_special="all") for text in samples]
    yield _agreement("tiktoken", samples, expected, found)


def _agreement(library: str, samples: list[str], expected: list[list[int]], found: list[list[int]]) -> Check:
    for text, right, ids in zip(samples, expected, found):
        if right != ids:
            return Check(False, library, f"encodes {text[:60]!r} as {ids[:12]}, the plain algorithm as {right[:12]}")
    return Check(True, library, f"gives the same IDs as the plain algorithm on {_all(samples)}")


def _all(samples: list[str]) -> str:
    return f"all {len(samples)} samples"


def _encode(tokenizer: BPEBase, text: str) -> list[int]:
    ids: list[int] = []
    for part in split_at_special_tokens(text, tokenizer.special_tokens):
        special_id = tokenizer.special_to_id.get(part)
        ids += encode_plainly(tokenizer, part) if special_id is None else [special_id]
    return ids


def _samples(tokenizer: BPEBase, ids: NDArray[np.uint32] | None) -> list[str]:
    """The samples, some tokens, each special token between text, and some parts of the corpus."""
    samples = [*SAMPLES, *(f"a{token}{token} b{token[:-1]}" for token in tokenizer.special_tokens)]
    learned = list(tokenizer.merges.values())
    for token_id in learned[:: max(1, len(learned) // _SAMPLE_TOKENS)]:
        samples.append(tokenizer.vocab[token_id].decode(errors="replace"))
    if ids is not None:
        decoder = Decoder(tokenizer.vocab)
        for begin in range(0, len(ids), max(100, len(ids) // 20)):
            samples.append(decoder.decode(ids[begin : begin + 100]).decode(errors="replace"))
    return samples


# --- IDs and bytes ----------------------------------------------------------------------------------------------------


def _decoded(tokenizer: BPEBase, ids: NDArray[np.uint32]) -> Iterator[bytes]:
    decoder = Decoder(tokenizer.vocab)
    for block in blocks_of(ids, _BLOCK):
        yield decoder.decode(block)


def _first_difference(ours: Iterable[bytes], theirs: Iterable[bytes]) -> int | None:
    """The first offset at which two texts, given in parts, differ. None if they are equal."""
    offset, remaining = 0, iter(theirs)
    pending = bytearray()
    for part in ours:
        while len(pending) < len(part) and (more := next(remaining, None)) is not None:
            pending += more
        if not pending.startswith(part):
            return offset + len(os.path.commonprefix([part, bytes(pending[: len(part)])]))
        del pending[: len(part)]
        offset += len(part)
    return offset if pending or any(remaining) else None
