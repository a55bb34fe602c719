"""Verifying an artifact: its files against their checksums, its IDs against its corpus, its tokenizer by a library.

    files             are they the ones that were saved? (`load_artifact`)
    ids.uint32        do the IDs decode to the corpus, and does its text encode to the same IDs?
    tokenizer.json    does the library `tokenizers` read it, and give the same IDs on samples?

None of this runs code that students write.
"""

import hashlib
import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import tokenizers
from numpy.typing import NDArray

from coach.common.errors import CourseError
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.engine.encoding import Encoder
from g2c.engine.fast import encode_fast, tables_of
from g2c.engine.parts import NO_TOKEN, Parts
from g2c.formats.artifact import Artifact, artifact_folder, missing_artifact
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import MANIFEST_FILE, TOKENIZER_FILE
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import last_safe_cut

CHUNK_IDS, TAIL_IDS = 1 << 18, 1 << 12  # How many IDs are encoded again at a time, and searched for a cut at the end.

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
"""Texts on which libraries must agree: words, code, scripts, combining marks, runs, almost special tokens."""


class Check(NamedTuple):
    """The result of checking `subject`; `detail` is what was found. `passed` is None if the check was not possible."""

    passed: bool | None
    subject: str
    detail: str


def verify(name_or_folder: str | os.PathLike[str]) -> Iterator[Check]:
    """Check an artifact; yield each result as soon as it is known. If a file is not the one that was saved, this is the
    only result. Raises MissingFileError if there is no such artifact."""
    folder = artifact_folder(name_or_folder)
    if not folder.is_dir():
        raise missing_artifact(folder)
    try:
        artifact = BPEBase.load_artifact(folder, mmap=True)
        yield Check(True, "files", f"each has the SHA-256 in {MANIFEST_FILE}")
        yield from _check_ids(artifact)
        yield _check_library(artifact)
    except (CourseError, ValueError) as error:
        yield Check(False, "files", str(error))


def _check_ids(artifact: Artifact) -> Iterator[Check]:
    """Check that the decoded IDs are the corpus of the manifest, and that encoding them again gives the same IDs."""
    tokenizer, ids, manifest, _ = artifact
    encoder, digest, size, done, difference = Encoder(tables_of(tokenizer)), hashlib.sha256(), 0, 0, ""
    for chunk in _chunks(tokenizer, ids):
        text = tokenizer.decode_bytes(chunk)
        digest.update(text)
        difference = difference or _difference(tokenizer, encoder, chunk, text, done)
        size, done = size + len(text), done + len(chunk)
    corpus = manifest["corpus"] or {}
    if "sha256" in corpus and not tokenizer.normalization:
        is_corpus = (corpus.get("bytes"), corpus["sha256"]) == (size, digest.hexdigest())
        what = "the bytes" if is_corpus else f"{size:,} bytes, which are not those"
        yield Check(is_corpus, IDS_FILE, f"decoded, it has {what} of the corpus {corpus.get('name')}")
    else:
        why = "the tokenizer normalizes texts" if tokenizer.normalization else f"{MANIFEST_FILE} names no corpus"
        yield Check(None, IDS_FILE, f"decoded, it has {size:,} bytes, to compare with nothing: {why}")
    # A token may end where a text does, and only separators, or a single text, leave no such place.
    is_one_text = manifest["train"].get("algorithm") == "train_exact"
    ends_with_separator = ids[-1:].tolist() == [tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)]
    if not difference:
        yield Check(True, IDS_FILE, f"decoded and encoded again, it gives the same {done:,} IDs")
    elif "parts" not in corpus and (is_one_text or ends_with_separator):
        yield Check(False, IDS_FILE, difference)
    else:
        yield Check(None, IDS_FILE, f"{difference}: correct only if a document begins near there")


def _chunks(tokenizer: BPEBase, ids: NDArray[np.uint32]) -> Iterator[NDArray[np.uint32]]:
    """Yield the IDs in chunks that can be encoded independently: they end after a special token, or at a safe cut."""
    begin = 0
    for end in range(CHUNK_IDS, len(ids), CHUNK_IDS):
        first = max(begin, end - TAIL_IDS)
        tail = ids[first:end]
        last = np.flatnonzero(np.isin(tail, list(tokenizer.special_token_ids)))
        if not len(last):
            cut = last_safe_cut(tokenizer.decode_bytes(tail), tokenizer.pattern)
            last = np.flatnonzero(_ends_in_text(tokenizer, tail) == cut)
        if len(last):
            yield ids[begin : first + int(last[-1]) + 1]
            begin = first + int(last[-1]) + 1
    yield ids[begin:]


def _ends_in_text(tokenizer: BPEBase, ids: NDArray[np.uint32]) -> NDArray[np.int64]:
    return np.cumsum([len(tokenizer.vocab[token_id]) for token_id in ids.tolist()], dtype=np.int64)


def _difference(tokenizer: BPEBase, encoder: Encoder, ids: NDArray[np.uint32], text: bytes, done: int) -> str:
    """Encode the text of some IDs, after `done` others; describe the first difference, or return ""."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return f"after ID number {done:,}, it does not decode to UTF-8 text"
    # The text between special tokens is ordinary, whatever is in it.
    places, ends = np.flatnonzero(np.isin(ids, list(tokenizer.special_token_ids))), _ends_in_text(tokenizer, ids)
    begins, stops = np.append(0, ends[places]), np.append(np.append(0, ends)[places], len(text))
    parts = Parts(begins, stops, np.append(ids[places].astype(np.int64), NO_TOKEN))
    again = np.concatenate([ids[:0], *encoder.encode(text, parts)])
    # Both decode to this text, so if they differ, they do before the end of either.
    different = np.flatnonzero(ids[: len(again)] != again[: len(ids)])
    if not len(different):
        return ""
    at = int(different[0])
    return f"decoded and encoded again, ID number {done + at:,} is {again[at]}, not {ids[at]}"


def _check_library(artifact: Artifact) -> Check:
    """Check that `tokenizers` gives the same IDs on samples, special tokens between text, and parts of the corpus."""
    tokenizer, ids, _, folder = artifact
    library = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    samples = [*SAMPLES, *(f"a{token}{token} b{token[:-1]}" for token in tokenizer.special_tokens)]
    for begin in range(0, len(ids), max(100, len(ids) // 20)):
        samples.append(tokenizer.decode_bytes(ids[begin : begin + 100]).decode(errors="replace"))
    for text in samples:
        own, other = encode_fast(tokenizer, text), library.encode(text, add_special_tokens=False).ids
        if own != other:
            return Check(False, TOKENIZER_FILE, f"tokenizers encodes {text[:60]!r} as {other[:12]}, g2c as {own[:12]}")
    return Check(True, TOKENIZER_FILE, f"tokenizers gives the same IDs on all {len(samples)} samples")
