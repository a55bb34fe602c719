"""Verifying an artifact: its files against their checksums, its tokenizer against other libraries, its IDs again.

    files             are they the ones that were saved? (`load_artifact`)
    tokenizer.json    do the libraries give the same IDs on samples?
    ids.uint32        do the IDs decode to the corpus, and does its text encode to the same IDs?

None of this runs code that students write.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import tokenizers
from numpy.typing import NDArray

from g2c.common.errors import CourseError, MissingFileError, UnsupportedTokenizer
from g2c.common.packages import install_command
from g2c.common.progress import shown_progress
from g2c.common.text import DOCUMENT_SEPARATOR, printable
from g2c.corpus.workers import run
from g2c.engine.encoding import Encoder
from g2c.engine.fast import encode_fast, tables_of
from g2c.engine.parts import NO_TOKEN, Cutter, Parts
from g2c.formats.artifact import Artifact, artifact_folder, load_artifact
from g2c.formats.hf_format import to_library
from g2c.formats.interop import to_tiktoken
from g2c.formats.token_ids import IDS_FILE, blocks_of
from g2c.formats.tokenizer_json import MANIFEST_FILE, TOKENIZER_FILE, render_files
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import normalized

_CHUNK_IDS, _TAIL = 1 << 18, 1 << 12
"""How many IDs are encoded again at a time, and how many at their end are searched for a cut."""

_SAMPLE_TOKENS = 200

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
"""Texts on which the libraries must agree: words, code, scripts, combining marks, runs, almost special tokens."""


class Check(NamedTuple):
    """The result of checking `subject`; `detail` is what was found. `passed` is None if the check was not possible."""

    passed: bool | None
    subject: str
    detail: str


def verify(name_or_folder: str | os.PathLike[str]) -> Iterator[Check]:
    """Check everything about an artifact; yield each result as soon as it is known.

    If a file is not the one that was saved, this is the only result, because the others depend on it. Raises
    MissingFileError if there is no such artifact.

    >>> import tempfile
    >>> from g2c.tokenizer import BPETokenizer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = BPETokenizer().save_artifact(folder + "/bytes", iter(b"hello"))
    ...     all(check.passed is not False for check in verify(path))
    True
    """
    folder = artifact_folder(name_or_folder)
    try:
        artifact = load_artifact(folder, mmap=True, cls=BPEBase)
    except CourseError as error:
        if isinstance(error, MissingFileError) and not folder.is_dir():
            raise
        yield Check(False, "files", str(error))
        return
    tokenizer, ids = artifact.tokenizer, artifact.ids
    yield Check(True, "files", f"each has the SHA-256 in {MANIFEST_FILE}, and {MANIFEST_FILE} its own")
    yield _check_folder(artifact)
    yield Check(True, MANIFEST_FILE, "all counts and settings agree with the other files")
    tokens = f"{tokenizer.vocab_size:,} tokens; each of the {len(tokenizer.merges):,} learned tokens encodes to itself"
    yield Check(True, TOKENIZER_FILE, tokens)
    data = (artifact.path / TOKENIZER_FILE).read_bytes()
    is_same = tokenizers.Tokenizer.from_str(data.decode()).to_str(pretty=True).encode() == data
    how = "" if is_same else "not "
    yield Check(is_same, TOKENIZER_FILE, f"{how}byte for byte as the tokenizers library writes it")
    yield Check(True, IDS_FILE, f"{len(ids):,} IDs, each one a token's")
    yield from _check_ids(artifact)
    yield from check_agreement(tokenizer, _samples(tokenizer, ids))


def _check_folder(artifact: Artifact) -> Check:
    """Check that the folder contains no other file, which a program might read or run, and no link."""
    rendered = render_files(artifact.tokenizer)
    for path in sorted(artifact.path.iterdir()):
        name = printable(path.name)
        if path.name not in {*rendered, IDS_FILE, MANIFEST_FILE, ".DS_Store", ".ipynb_checkpoints"}:
            return Check(False, name, "is not part of the artifact; another program may read it. Remove it")
        if path.is_symlink():
            return Check(False, name, "is a link to another file, which may change. Copy the file into its place")
        if path.name in rendered and path.name != TOKENIZER_FILE and path.read_bytes() != rendered[path.name]:
            return Check(False, name, "is not what follows from the tokenizer, and transformers would use it")
    return Check(True, "files", "no other files and no links; those for transformers follow from the tokenizer")


# --- the IDs ----------------------------------------------------------------------------------------------------------


def _check_ids(artifact: Artifact) -> Iterator[Check]:
    """Check that the decoded IDs are the corpus of the manifest, and that encoding them again gives the same IDs."""
    round_trip = _RoundTrip(artifact.tokenizer)
    size, digest, done = 0, hashlib.sha256(), 0
    failure: Check | None = None
    with (
        shown_progress(None, "Encoding again", total=4 * len(artifact.ids), unit="MB") as bar,
        closing(run(round_trip.worker, round_trip.chunks(artifact.ids))) as chunks,
    ):
        for ids, (text, back) in chunks:
            size += len(text)
            digest.update(text)
            if failure is None:
                failure = _problem_of_chunk(artifact, done, ids, back)
            done += len(ids)
            bar.update(4 * done)
    form = artifact.tokenizer.normalization
    if form:
        yield Check(None, IDS_FILE, f"decoded, {size:,} bytes: the corpus in the form {form}, not compared with it")
    else:
        yield _check_corpus(artifact.manifest["corpus"], size, digest.hexdigest())
    yield failure or Check(True, IDS_FILE, f"decoded and encoded again, it gives the same {done:,} IDs")


def _check_corpus(corpus: dict[str, Any] | None, size: int, sha256: str) -> Check:
    """Compare the decoded text with the corpus that manifest.json describes."""
    if not corpus:
        return Check(None, IDS_FILE, f"decoded, {size:,} bytes; {MANIFEST_FILE} names no corpus to compare with")
    name = printable(corpus.get("name"))
    if (corpus.get("bytes"), corpus.get("sha256")) == (size, sha256):
        return Check(True, IDS_FILE, f"decoded, it has the {size:,} bytes and the SHA-256 of the corpus {name}")
    wanted = f"{printable(corpus.get('bytes'))} and {printable(corpus.get('sha256'))[:16]}…"
    found = f"decoded, it has {size:,} bytes and the SHA-256 {sha256[:16]}…"
    return Check(False, IDS_FILE, f"{found}; the corpus {name} has {wanted}")


def _problem_of_chunk(
    artifact: Artifact, done: int, ids: NDArray[np.uint32], back: NDArray[np.uint32] | None
) -> Check | None:
    """Describe the first difference between the IDs of a chunk, after `done` others, and `back`; None without one."""
    if back is None:
        return Check(False, IDS_FILE, f"after ID number {done:,}, it does not decode to UTF-8 text")
    if np.array_equal(ids, back):
        return None
    common = min(len(ids), len(back))
    differs = np.flatnonzero(ids[:common] != back[:common])
    index = int(differs[0]) if len(differs) else common
    again = f"is {back[index]}" if index < len(back) else "is missing"
    found = f"not {ids[index]}" if index < len(ids) else "after the last one in the file"
    detail = f"decoded and encoded again, ID number {done + index:,} {again}, {found}"
    # A token may end where a text does, and only separators, or a single text, leave no such place.
    corpus = artifact.manifest["corpus"] or {}
    separator_id = artifact.tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)
    is_one_text = artifact.manifest["train"].get("algorithm") == "train_exact" and "parts" not in corpus
    if "texts" not in corpus and (is_one_text or artifact.ids[-1] == separator_id):
        return Check(False, IDS_FILE, detail)
    return Check(None, IDS_FILE, f"{detail}: correct only if a document begins near there")


class _RoundTrip:
    """Decodes IDs and encodes their text again, in chunks that can be encoded independently."""

    def __init__(self, tokenizer: BPEBase) -> None:
        self._special_ids = sorted(tokenizer.special_token_ids)
        self._tables = tables_of(tokenizer)
        # By ID. An ID without a token has no bytes.
        self._tokens = [tokenizer.vocab.get(token_id, b"") for token_id in range(max(tokenizer.vocab) + 1)]
        self._lengths = np.array(list(map(len, self._tokens)))
        self._cutter = Cutter(self._tables.cuts)

    def chunks(self, ids: NDArray[np.uint32]) -> Iterator[NDArray[np.uint32]]:
        """Yield the IDs in chunks of about `_CHUNK_IDS`, longer where the text cannot be cut."""
        parts: list[NDArray[np.uint32]] = []
        for block in blocks_of(ids, _CHUNK_IDS):
            border = self._last_border(block)
            # Copies: the pages of a memory-mapped file are released after each block.
            if border:
                yield np.concatenate([*parts, block[:border]])
                parts.clear()
            parts.append(block[border:].copy())
        if parts:
            yield np.concatenate(parts)

    def _text(self, ids: NDArray[np.uint32]) -> bytes:
        return b"".join(map(self._tokens.__getitem__, ids.tolist()))

    def _last_border(self, block: NDArray[np.uint32]) -> int:
        """Return the last index at which a block can be cut, near its end; 0 if there is none."""
        tail = block[-_TAIL:]
        first = len(block) - len(tail)
        special = np.flatnonzero(np.isin(tail, self._special_ids))
        if len(special):
            return first + int(special[-1]) + 1
        ends = np.cumsum(self._lengths[tail])
        cuts = np.flatnonzero(np.isin(ends, self._cutter.cuts(self._text(tail))))
        return first + int(cuts[-1]) + 1 if len(cuts) else 0

    def worker(self) -> Callable[[NDArray[np.uint32]], tuple[bytes, NDArray[np.uint32] | None]]:
        """Return a function that decodes a chunk and encodes the text again; None for text that is not UTF-8."""
        encoder = Encoder(self._tables)

        def round_trip(ids: NDArray[np.uint32]) -> tuple[bytes, NDArray[np.uint32] | None]:
            text, lengths = self._text(ids), self._lengths[ids]
            try:
                text.decode()
            except UnicodeDecodeError:
                return text, None
            is_special = np.isin(ids, self._special_ids)
            after = np.cumsum(lengths)[is_special]
            begins, ends = np.append(0, after), np.append(after - lengths[is_special], len(text))
            parts = Parts(begins, ends, np.append(ids[is_special].astype(np.int64), NO_TOKEN))
            return text, np.concatenate([np.zeros(0, np.uint32), *encoder.encode(text, parts)])

        return round_trip


# --- the libraries ----------------------------------------------------------------------------------------------------


def check_agreement(tokenizer: BPEBase, samples: Iterable[str] = SAMPLES) -> Iterator[Check]:
    """Check that `tokenizers`, `encode_fast` and, if installed, tiktoken give the same IDs."""
    samples = list(samples)
    rust = to_library(tokenizer)
    expected = [rust.encode(text).ids for text in samples]
    yield _agreement("encode_fast", samples, expected, [encode_fast(tokenizer, text) for text in samples])
    back = [rust.decode(ids, skip_special_tokens=False) for ids in expected]
    texts = [normalized(text, tokenizer.normalization) for text in samples]
    wrong = next((text for text, decoded in zip(texts, back) if text != decoded), None)
    yield Check(wrong is None, "tokenizers", f"decodes the IDs of {_all_of(samples) if wrong is None else repr(wrong)}")
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
            return Check(False, library, f"encodes {text[:60]!r} as {ids[:12]}, tokenizers as {right[:12]}")
    return Check(True, library, f"gives the same IDs as tokenizers on {_all_of(samples)}")


def _all_of(samples: list[str]) -> str:
    return f"all {len(samples)} samples"


def _samples(tokenizer: BPEBase, ids: NDArray[np.uint32]) -> list[str]:
    """Return the samples, some tokens, each special token between text, and some parts of the corpus."""
    samples = [*SAMPLES, *(f"a{token}{token} b{token[:-1]}" for token in tokenizer.special_tokens)]
    learned = list(tokenizer.merges.values())
    for token_id in learned[:: max(1, len(learned) // _SAMPLE_TOKENS)]:
        samples.append(tokenizer.vocab[token_id].decode(errors="replace"))
    for begin in range(0, len(ids), max(100, len(ids) // 20)):
        samples.append(tokenizer.decode_bytes(ids[begin : begin + 100]).decode(errors="replace"))
    return samples
