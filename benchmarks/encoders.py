"""The contenders in encoding, one function each: from a text file to a file of little-endian uint32.

All get the same tokenizer and must write the same bytes, and each is used in its fastest way. `tokenizers` and tiktoken
get the text in blocks, cut where that changes no token: the first in batches on its own threads, the second with output
to numpy on threads of this module. gigatoken gets 32 blocks in a call, for its own threads. ffbpe gets the file.
Without a pattern, safe cuts depend on the merges, which only the course analyzes; so there the libraries get the text
in one piece.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from blocks import blocks, cut
from contest import Contender, Task
from trainers import FFBPE_PATTERNS

if TYPE_CHECKING:
    import tiktoken

BLOCK = 1 << 20
BLOCKS_AT_ONCE = 32
"""Number of blocks that the threads process before the next ones are read."""

SHORT_TEXT = 200
"""Bytes of a short text, or a few more: a paragraph, a message."""

PART = 8 << 10
"""Bytes of one text in a batch: small, so that all threads are busy."""


def with_g2c(task: Task, out: Path) -> None:
    from g2c.corpus.encoding import encode_corpus
    from g2c.tokenizer import load

    folder = out.with_suffix(".artifact")
    encode_corpus(load(task.tokenizer), Path(task.corpus), folder, workers=task.workers, resume=False, progress=False)
    os.replace(folder / "ids.uint32", out)
    shutil.rmtree(folder)


def with_g2c_loops(task: Task, out: Path) -> None:
    from g2c.engine.encoding import Encoder, Tables
    from g2c.tokenizer import load

    ours = load(task.tokenizer)
    tables = Tables.of(ours.merges, ours.pattern, ours.byte_ids)
    encoders = [Encoder(tables) for _ in range(task.workers)]

    def encode(encoder: Encoder, texts: list[bytes]) -> list[np.ndarray]:
        return [ids for text in texts for ids in encoder.encode(text)]

    blocks = text_blocks(task)
    with out.open("wb") as file, ThreadPoolExecutor(task.workers) as pool:
        while some := list(islice(blocks, BLOCKS_AT_ONCE)):
            shares = [
                some[len(some) * i // task.workers : len(some) * (i + 1) // task.workers] for i in range(task.workers)
            ]
            for arrays in pool.map(encode, encoders, shares):
                for ids in arrays:
                    file.write(ids.astype("<u4", copy=False).data)


def with_tokenizers(task: Task, out: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(task.tokenizer)
    with out.open("wb") as file:
        for block in text_blocks(task):
            parts = [block] if task.pattern is None else cut(block, PART)
            batch = [part.decode() for part in parts]
            for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
                file.write(np.array(encoding.ids, "<u4").data)


def with_tiktoken(task: Task, out: Path) -> None:
    encoding = _tiktoken_encoding(task)
    texts = (block.decode() for block in text_blocks(task))
    with out.open("wb") as file, ThreadPoolExecutor(task.workers) as pool:
        while some := list(islice(texts, BLOCKS_AT_ONCE)):
            for ids in pool.map(lambda text: encoding.encode_to_numpy(text, allowed_special="all"), some):
                file.write(ids.astype("<u4").data)


def _tiktoken_encoding(task: Task) -> "tiktoken.Encoding":
    import tiktoken

    from g2c.tokenizer import load

    ours = load(task.tokenizer)
    return tiktoken.Encoding(
        "benchmark",
        pat_str=ours.pattern or EVERYTHING,
        mergeable_ranks={token: i for i, token in ours.vocab.items() if i not in ours.special_token_ids},
        special_tokens=ours.special_to_id,
        explicit_n_vocab=ours.vocab_size,
    )


def with_ffbpe(task: Task, out: Path) -> None:
    import ffbpe

    from g2c.tokenizer import load

    ours = load(task.tokenizer)
    encoder = ffbpe.BpeEncoder(
        vocab={token: i for i, token in ours.vocab.items()},
        merges=[(ours.vocab[left], ours.vocab[right]) for left, right in ours.merges],
        special_tokens=ours.special_tokens,
        pat_str=FFBPE_PATTERNS[task.pattern] if task.pattern else EVERYTHING,
        # This cuts long pieces where no token can cross. For short pieces it only costs time.
        split_on_vocab_bigrams=task.pattern is None,
    )
    ids = encoder.encode_file(task.corpus, num_chunks=1)
    ids.astype("<u4", copy=False).tofile(out)


def with_gigatoken(task: Task, out: Path) -> None:
    if task.pattern is None:
        raise SystemExit("it splits by the patterns of published tokenizers only")
    os.environ["RAYON_NUM_THREADS"] = str(task.workers)
    import gigatoken

    tokenizer = gigatoken.Tokenizer(task.tokenizer)
    texts = text_blocks(task)
    with out.open("wb") as file:
        while some := list(islice(texts, BLOCKS_AT_ONCE)):
            for ids in tokenizer.encode_batch(some, parallel=task.workers > 1):
                file.write(np.asarray(ids).astype("<u4", copy=False).data)


# --- many short texts -------------------------------------------------------------------------------------------------


def g2c_batch(task: Task, out: Path) -> None:
    from g2c.tokenizer import load

    _write(out, load(task.tokenizer).encode_batch(_short_texts(task), num_threads=task.workers))


def g2c_one_by_one(task: Task, out: Path) -> None:
    from g2c.tokenizer import load

    _write(out, map(load(task.tokenizer).encode_fast, _short_texts(task)))


def tokenizers_batch(task: Task, out: Path) -> None:
    from tokenizers import Tokenizer

    encodings = Tokenizer.from_file(task.tokenizer).encode_batch_fast(_short_texts(task), add_special_tokens=False)
    _write(out, (encoding.ids for encoding in encodings))


def tokenizers_one_by_one(task: Task, out: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(task.tokenizer)
    _write(out, (tokenizer.encode(text, add_special_tokens=False).ids for text in _short_texts(task)))


def tiktoken_batch(task: Task, out: Path) -> None:
    encoding = _tiktoken_encoding(task)
    _write(out, encoding.encode_batch(_short_texts(task), num_threads=task.workers, allowed_special="all"))


def tiktoken_one_by_one(task: Task, out: Path) -> None:
    encoding = _tiktoken_encoding(task)
    _write(out, (encoding.encode(text, allowed_special="all") for text in _short_texts(task)))


def _short_texts(task: Task) -> list[str]:
    return [text.decode() for text in cut(Path(task.corpus).read_bytes(), SHORT_TEXT)]


def _write(out: Path, ids_of_texts: Iterable[list[int]]) -> None:
    np.fromiter(chain.from_iterable(ids_of_texts), "<u4").tofile(out)


EVERYTHING = r"[\s\S]+"
"""A pattern that does not split, for libraries that require one."""

LOADING = "g2c.formats.artifact"

CONTENDERS = [
    Contender("g2c encode", with_g2c, ("g2c.corpus.encoding", LOADING)),
    Contender(
        "g2c, IDs alone",
        with_g2c_loops,
        ("g2c.engine.encoding", LOADING),
        remark="The loops of g2c encode without the artifact: no checksums, journal, tokenizer.json and manifest.json, "
        "and no flush to the disk. The others write no artifact either.",
    ),
    Contender("tokenizers", with_tokenizers, ("tokenizers",)),
    Contender("tiktoken", with_tiktoken, ("tiktoken", LOADING)),
    Contender("gigatoken", with_gigatoken, ("gigatoken",)),
    Contender(
        "ffbpe",
        with_ffbpe,
        ("ffbpe", LOADING),
        remark="One thread: with several, it cuts the text into chunks and gives other token IDs at their boundaries.",
    ),
]

SHORT_TEXTS = [
    Contender("g2c encode_batch", g2c_batch, ("g2c.engine.many_texts", LOADING)),
    Contender("g2c encode_fast", g2c_one_by_one, ("g2c.engine.fast", LOADING)),
    Contender("tokenizers encode_batch_fast", tokenizers_batch, ("tokenizers",)),
    Contender("tokenizers encode", tokenizers_one_by_one, ("tokenizers",)),
    Contender("tiktoken encode_batch", tiktoken_batch, ("tiktoken", LOADING)),
    Contender("tiktoken encode", tiktoken_one_by_one, ("tiktoken", LOADING)),
]
"""The same text, cut into short ones: all of them in one call, or each in its own."""

NOT_HERE = {
    "bpeasy": "it encodes with tiktoken",
    "rustbpe": "it cannot load a tokenizer, and encodes only with the one it has just trained",
    "gigabpe": "it trains only",
    "sentencepiece": "it cannot load a byte-level tokenizer",
}


def text_blocks(task: Task) -> Iterator[bytes]:
    if task.pattern is None:
        return iter([Path(task.corpus).read_bytes()])
    return blocks(task.corpus, BLOCK)
