"""The contenders in encoding, one function each: from a text file to a file of little-endian uint32.

All get the same tokenizer and must write the same bytes, and each is used in its fastest way. The libraries get the
text in blocks, cut where that changes no token.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path

import numpy as np

from contest import Contender, Task, blocks, cut

BLOCK = 1 << 20
BLOCKS_AT_ONCE = 32
"""Number of blocks that the threads process before the next ones are read."""

PART = 8 << 10
"""Bytes of one text in a batch of tokenizers: small, so that all threads are busy."""


def with_g2c(task: Task, out: Path) -> None:
    from g2c.corpus.encoding import encode_corpus
    from g2c.tokenizer import load

    folder = out.with_suffix(".artifact")
    encode_corpus(load(task.tokenizer), Path(task.corpus), folder, workers=task.workers, progress=False)
    os.replace(folder / "ids.uint32", out)
    shutil.rmtree(folder)


def with_g2c_loops(task: Task, out: Path) -> None:
    from g2c.engine.encoding import Encoder
    from g2c.engine.fast import tables_of
    from g2c.tokenizer import load

    tables = tables_of(load(task.tokenizer))
    idle = [Encoder(tables) for _ in range(task.workers)]

    def encode(text: bytes) -> list[np.ndarray]:
        encoder = idle.pop()
        ids = list(encoder.encode(text))
        idle.append(encoder)
        return ids

    with out.open("wb") as file, ThreadPoolExecutor(task.workers) as pool:
        for some in batches(task):
            _write(file, chain.from_iterable(pool.map(encode, some)))


def with_gigatoken(task: Task, out: Path) -> None:
    import gigatoken

    tokenizer = gigatoken.Tokenizer(task.tokenizer)
    with out.open("wb") as file:
        for some in batches(task):
            _write(file, map(np.asarray, tokenizer.encode_batch(some, parallel=task.workers > 1)))


def with_tiktoken(task: Task, out: Path) -> None:
    import tiktoken

    from g2c.tokenizer import load

    ours = load(task.tokenizer)
    encoding = tiktoken.Encoding(
        "benchmark",
        pat_str=ours.pattern,
        mergeable_ranks={token: i for i, token in ours.vocab.items() if i not in ours.special_token_ids},
        special_tokens=ours.special_to_id,
    )
    with out.open("wb") as file, ThreadPoolExecutor(task.workers) as pool:
        for some in batches(task):
            texts = [block.decode() for block in some]
            _write(file, pool.map(lambda text: encoding.encode_to_numpy(text, allowed_special="all"), texts))


def with_tokenizers(task: Task, out: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(task.tokenizer)
    with out.open("wb") as file:
        for block in chain.from_iterable(batches(task)):
            batch = [part.decode() for part in cut(block, PART)]
            encodings = tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            _write(file, (np.array(encoding.ids, "<u4") for encoding in encodings))


def batches(task: Task) -> Iterator[list[bytes]]:
    """The text in blocks, some at a time."""
    texts = blocks(task.corpus, BLOCK)
    while some := list(islice(texts, BLOCKS_AT_ONCE)):
        yield some


def _write(file, arrays: Iterable[np.ndarray]) -> None:
    for ids in arrays:
        file.write(ids.astype("<u4", copy=False).data)


LOADING = "g2c.formats.artifact"

CONTENDERS = [
    Contender(
        "g2c encode",
        with_g2c,
        ("g2c.corpus.encoding", LOADING, "loaded"),
        "The command's work: IDs with checksums, tokenizer.json and manifest.json, flushed to the disk.",
    ),
    Contender(
        "g2c, IDs alone",
        with_g2c_loops,
        ("g2c.engine.encoding", LOADING, "loaded"),
        "The loops of g2c encode: blocks of 1 MB on threads, IDs to a file. The libraries do no more than this.",
    ),
    Contender(
        "gigatoken",
        with_gigatoken,
        ("gigatoken",),
        "encode_batch on its threads; tokenizer.json; 32 blocks of 1 MB in a call.",
    ),
    Contender(
        "tiktoken",
        with_tiktoken,
        ("tiktoken", LOADING),
        "encode_to_numpy on threads of the benchmark, a block of 1 MB in a call.",
    ),
    Contender(
        "tokenizers",
        with_tokenizers,
        ("tokenizers",),
        "encode_batch_fast on its threads; tokenizer.json; texts of 8 kB.",
    ),
]
