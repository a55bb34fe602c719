"""Verifying an artifact: its files against their checksums, its tokenizer against other libraries, its IDs again.

    files             are they the ones that were saved? (`load_artifact`)
    tokenizer.json    do the libraries give the same IDs on samples?
    ids.uint32        do the IDs decode to the corpus, and does its text encode to the same IDs?

None of this runs code that students write.
"""

import hashlib
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

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
    size, digest, done = 0, hashlib.sha256(), 0
    failure: Check | None = None
    with (
        shown_progress(None, "Encoding again", total=4 * len(artifact.ids), unit="MB") as bar,
        closing(_encoded_again(artifact.tokenizer, artifact.ids)) as chunks,
    ):
        for ids, (text, back) in chunks:
            size += len(text)
            digest.update(text)
            failure = failure or _problem_of_chunk(artifact, done, ids, back)
            done += len(ids)
            bar.update(4 * done)
    corpus, form = artifact.manifest["corpus"], artifact.tokenizer.normalization
    if form:
        yield Check(None, IDS_FILE, f"decoded, {size:,} bytes: the corpus in the form {form}, not compared with it")
    elif not corpus:
        yield Check(None, IDS_FILE, f"decoded, {size:,} bytes; {MANIFEST_FILE} names no corpus to compare with")
    else:
        name, stated, sha256 = (printable(corpus.get(part)) for part in ("name", "bytes", "sha256"))
        if is_corpus := (corpus.get("bytes"), corpus.get("sha256")) == (size, digest.hexdigest()):
            detail = f"the {size:,} bytes and the SHA-256 of the corpus {name}"
        else:
            detail = f"{size:,} bytes and the SHA-256 {digest.hexdigest()[:16]}…; the corpus {name} has {stated}"
            detail = f"{detail} and {sha256[:16]}…"
        yield Check(is_corpus, IDS_FILE, f"decoded, it has {detail}")
    yield failure or Check(True, IDS_FILE, f"decoded and encoded again, it gives the same {done:,} IDs")


def _problem_of_chunk(
    artifact: Artifact, done: int, ids: NDArray[np.uint32], back: NDArray[np.uint32] | None
) -> Check | None:
    """Describe the first difference between the IDs of a chunk, after `done` others, and `back`; None without one."""
    if back is None:
        return Check(False, IDS_FILE, f"after ID number {done:,}, it does not decode to UTF-8 text")
    if np.array_equal(ids, back):
        return None
    common = min(len(ids), len(back))
    index = next(iter(np.flatnonzero(ids[:common] != back[:common]).tolist()), common)
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


_EncodedAgain = tuple[bytes, NDArray[np.uint32] | None]
"""The text of some IDs, and the IDs that it encodes to; None if it is not UTF-8."""


def _encoded_again(
    tokenizer: BPEBase, ids: NDArray[np.uint32]
) -> Generator[tuple[NDArray[np.uint32], _EncodedAgain], None, None]:
    """Yield the IDs in chunks that can be encoded independently, with their text and its encoding."""
    tables, special_ids = tables_of(tokenizer), sorted(tokenizer.special_token_ids)
    cutter = Cutter(tables.cuts)
    # By ID. An ID without a token has no bytes.
    tokens = [tokenizer.vocab.get(token_id, b"") for token_id in range(max(tokenizer.vocab) + 1)]
    lengths = np.array(list(map(len, tokens)))

    def text_of(ids: NDArray[np.uint32]) -> bytes:
        return b"".join(map(tokens.__getitem__, ids.tolist()))

    def last_border(block: NDArray[np.uint32]) -> int:
        """Return the last index at which a block can be cut, near its end; 0 if there is none."""
        tail = block[-_TAIL:]
        borders = np.flatnonzero(np.isin(tail, special_ids))
        if not len(borders):
            borders = np.flatnonzero(np.isin(np.cumsum(lengths[tail]), cutter.cuts(text_of(tail))))
        return len(block) - len(tail) + int(borders[-1]) + 1 if len(borders) else 0

    def chunks() -> Iterator[NDArray[np.uint32]]:
        parts: list[NDArray[np.uint32]] = []
        for block in blocks_of(ids, _CHUNK_IDS):
            border = last_border(block)
            # Copies: the pages of a memory-mapped file are released after each block.
            if border:
                yield np.concatenate([*parts, block[:border]])
                parts.clear()
            parts.append(block[border:].copy())
        if parts:
            yield np.concatenate(parts)

    def make_worker() -> Callable[[NDArray[np.uint32]], _EncodedAgain]:
        encoder = Encoder(tables)

        def work(ids: NDArray[np.uint32]) -> _EncodedAgain:
            text, is_special = text_of(ids), np.isin(ids, special_ids)
            try:
                text.decode()
            except UnicodeDecodeError:
                return text, None
            after = np.cumsum(lengths[ids])[is_special]
            begins, ends = np.append(0, after), np.append(after - lengths[ids][is_special], len(text))
            parts = Parts(begins, ends, np.append(ids[is_special].astype(np.int64), NO_TOKEN))
            return text, np.concatenate([np.zeros(0, np.uint32), *encoder.encode(text, parts)])

        return work

    return run(make_worker, chunks())


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
    which = f"all {len(samples)} samples" if wrong is None else repr(wrong)
    yield Check(wrong is None, "tokenizers", f"decodes the IDs of {which}")
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
    return Check(True, library, f"gives the same IDs as tokenizers on all {len(samples)} samples")


def _samples(tokenizer: BPEBase, ids: NDArray[np.uint32]) -> list[str]:
    """Return the samples, some tokens, each special token between text, and some parts of the corpus."""
    samples = [*SAMPLES, *(f"a{token}{token} b{token[:-1]}" for token in tokenizer.special_tokens)]
    learned = list(tokenizer.merges.values())
    for token_id in learned[:: max(1, len(learned) // _SAMPLE_TOKENS)]:
        samples.append(tokenizer.vocab[token_id].decode(errors="replace"))
    for begin in range(0, len(ids), max(100, len(ids) // 20)):
        samples.append(tokenizer.decode_bytes(ids[begin : begin + 100]).decode(errors="replace"))
    return samples
