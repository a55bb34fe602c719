"""Verifying an artifact: beyond the checksums of its files, the IDs are decoded, encoded again, and compared.

    files             are they those that were saved? (`load_artifact`)
    tokenizer.json    do the libraries give the same IDs as the plain algorithm on samples?
    ids.uint32        decoded, is it the corpus? encoded again, is it the same?

None of this uses code that students write.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np
import tokenizers
from numpy.typing import NDArray

from g2c.common.errors import CorpusError, CourseError, MissingFileError
from g2c.common.packages import install_command
from g2c.common.progress import byte_progress
from g2c.common.text import DOCUMENT_SEPARATOR, printable
from g2c.corpus.shards import Cutter
from g2c.corpus.workers import run
from g2c.engine.decoding import Decoder
from g2c.engine.encoding import NO_TOKEN, Encoder, Parts, Tables
from g2c.engine.fast import encode_fast
from g2c.formats.artifact import Artifact, artifact_folder, load_artifact
from g2c.formats.interop import to_tiktoken
from g2c.formats.merge_table import merge_table
from g2c.formats.token_ids import IDS_FILE, blocks_of
from g2c.formats.tokenizer_json import MANIFEST_FILE, TOKENIZER_FILE, render_tokenizer
from g2c.formats.validity import UnsupportedTokenizer
from g2c.tokenizer.base import BPEBase

_BLOCK = 1 << 18
_CHUNK, _TAIL = 1 << 20, 1 << 12
"""IDs that are encoded again at a time, and IDs at their end among which a place to cut is looked for."""

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

    If a file is not the one that was saved, this is the only result: what depends on it cannot be checked.

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
    try:
        artifact = load_artifact(folder, mmap=True, cls=BPEBase)
    except CourseError as error:
        if isinstance(error, MissingFileError) and not folder.is_dir():
            raise
        yield Check(False, "files", str(error))
        return
    tokenizer, ids = artifact.tokenizer, artifact.ids
    yield Check(True, "files", f"each has the SHA-256 in {MANIFEST_FILE}, and {MANIFEST_FILE} its own")
    yield Check(True, MANIFEST_FILE, "all counts and settings are those of the other files")
    yield Check(
        True,
        TOKENIZER_FILE,
        f"{tokenizer.vocab_size:,} tokens; each of the {len(tokenizer.merges):,} learned tokens encodes to itself",
    )
    yield _check_library_writes_the_same(artifact)
    yield Check(True, IDS_FILE, f"{len(ids):,} IDs, each that of a token")
    yield _check_corpus(artifact)
    yield from _check_encoding(artifact, progress)
    yield from check_agreement(tokenizer, _samples(tokenizer, ids))


def _check_library_writes_the_same(artifact: Artifact) -> Check:
    data = (artifact.path / TOKENIZER_FILE).read_bytes()
    is_same = tokenizers.Tokenizer.from_str(data.decode()).to_str(pretty=True).encode() == data
    return Check(
        is_same, TOKENIZER_FILE, f"{'' if is_same else 'not '}byte for byte as the library tokenizers writes it"
    )


# --- the IDs ----------------------------------------------------------------------------------------------------------


def _check_corpus(artifact: Artifact) -> Check:
    """Check that the decoded IDs are the corpus recorded in the manifest."""
    size, digest = 0, hashlib.sha256()
    decoder = Decoder(artifact.tokenizer.vocab)
    for block in blocks_of(artifact.ids, _BLOCK):
        data = decoder.decode(block)
        size += len(data)
        digest.update(data)
    found = digest.hexdigest()
    corpus = artifact.manifest["corpus"]
    if not corpus:
        return Check(None, IDS_FILE, f"decoded, {size:,} bytes; {MANIFEST_FILE} names no corpus to compare with")
    name = printable(corpus.get("name"))
    if (corpus.get("bytes"), corpus.get("sha256")) == (size, found):
        return Check(True, IDS_FILE, f"decoded, it has the {size:,} bytes and the SHA-256 of the corpus {name}")
    return Check(
        False,
        IDS_FILE,
        f"decoded, it has {size:,} bytes and the SHA-256 {found[:16]}…; the corpus {name} has "
        f"{corpus.get('bytes')!r} and {printable(corpus.get('sha256'))[:16]}…",
    )


def _check_encoding(artifact: Artifact, progress: bool | None) -> Iterator[Check]:
    """Check that decoding the IDs and encoding the text again gives the same IDs."""
    tokenizer, ids = artifact.tokenizer, artifact.ids
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
                    if _boundaries_are_known(artifact):
                        yield Check(False, IDS_FILE, difference)
                    else:
                        yield Check(None, IDS_FILE, f"{difference}: correct only if a document begins near there")
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


def _boundaries_are_known(artifact: Artifact) -> bool:
    """Whether the IDs show where each document ends. Without separators, a document may end anywhere."""
    if artifact.manifest["train"].get("algorithm") == "train_exact":
        return True  # train_exact takes a single text.
    ids = artifact.ids
    return len(ids) > 0 and ids[-1] == artifact.tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)


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
                if end - begin > self._cutter.max_uncut_bytes:
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
    """Check that `tokenizers`, `encode_fast` and, if installed, tiktoken give the same IDs.

    Args:
        tokenizer: one that `check_tokenizer` accepts.
        samples: any texts.
    """
    samples = list(samples)
    rust = tokenizers.Tokenizer.from_str(render_tokenizer(tokenizer).decode())
    expected = [rust.encode(text).ids for text in samples]
    yield _agreement("encode_fast", samples, expected, [encode_fast(tokenizer, text) for text in samples])
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
            return Check(False, library, f"encodes {text[:60]!r} as {ids[:12]}, tokenizers as {right[:12]}")
    return Check(True, library, f"gives the same IDs as tokenizers on {_all(samples)}")


def _all(samples: list[str]) -> str:
    return f"all {len(samples)} samples"


def _samples(tokenizer: BPEBase, ids: NDArray[np.uint32]) -> list[str]:
    """The samples, some tokens, each special token between text, and some parts of the corpus."""
    samples = [*SAMPLES, *(f"a{token}{token} b{token[:-1]}" for token in tokenizer.special_tokens)]
    learned = list(tokenizer.merges.values())
    for token_id in learned[:: max(1, len(learned) // _SAMPLE_TOKENS)]:
        samples.append(tokenizer.vocab[token_id].decode(errors="replace"))
    decoder = Decoder(tokenizer.vocab)
    for begin in range(0, len(ids), max(100, len(ids) // 20)):
        samples.append(decoder.decode(ids[begin : begin + 100]).decode(errors="replace"))
    return samples
