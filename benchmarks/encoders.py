"""The contenders in encoding, one function each: from a text file to a file of little-endian uint32.

All get the same tokenizer and must write the same bytes, and each is used in its fastest way. The libraries get the
text in blocks, cut where that changes no token. Without a pattern, safe cuts depend on the merges, which only the
course analyzes; so there the libraries get the text in one piece.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contest import Contender, Task, blocks, cut

if TYPE_CHECKING:
    import tiktoken

BLOCK = 1 << 20
BLOCKS_AT_ONCE = 32
"""Number of blocks that the threads process before the next ones are read."""

SHORT_TEXT = 200
"""Bytes of a short text, or a few more: a paragraph, a message."""

PART = 8 << 10
"""Bytes of one text in a batch of tokenizers: small, so that all threads are busy."""

EVERYTHING = r"[\s\S]+"
"""A pattern that does not split, for a library that requires one."""


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

    with out.open("wb") as file, ThreadPoolExecutor(task.workers) as pool:
        for some in batches(task):
            ends = [len(some) * i // task.workers for i in range(task.workers + 1)]
            shares = [some[begin:end] for begin, end in zip(ends, ends[1:])]
            _write(file, chain.from_iterable(pool.map(encode, encoders, shares)))


def with_gigatoken(task: Task, out: Path) -> None:
    if task.pattern is None:
        raise SystemExit("it splits by the patterns of published tokenizers only")
    import gigatoken

    tokenizer = gigatoken.Tokenizer(task.tokenizer)
    with out.open("wb") as file:
        for some in batches(task):
            _write(file, map(np.asarray, tokenizer.encode_batch(some, parallel=task.workers > 1)))


def with_quicktok(task: Task, out: Path) -> None:
    if task.pattern != "gpt4":
        raise SystemExit("it has the patterns of some published tokenizers, and this is none of them")
    folder = out.with_suffix(".quicktok")
    folder.mkdir()
    os.environ["QUICKTOK_DATA"] = str(folder)
    import quicktok

    quicktok.import_tokenizer(task.tokenizer, "benchmark")
    tokenizer = quicktok.get_encoding("benchmark")
    with out.open("wb") as file, ThreadPoolExecutor(task.workers) as pool:
        for some in batches(task):
            texts = [block.decode() for block in some]
            _write(file, pool.map(lambda text: tokenizer.encode_batch([text])[0], texts))
    shutil.rmtree(folder)


def with_tiktoken(task: Task, out: Path) -> None:
    encoding = _tiktoken_encoding(task)
    with out.open("wb") as file, ThreadPoolExecutor(task.workers) as pool:
        for some in batches(task):
            texts = [block.decode() for block in some]
            _write(file, pool.map(lambda text: encoding.encode_to_numpy(text, allowed_special="all"), texts))


def with_tokenizers(task: Task, out: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(task.tokenizer)
    with out.open("wb") as file:
        for block in chain.from_iterable(batches(task)):
            parts = [block] if task.pattern is None else cut(block, PART)
            batch = [part.decode() for part in parts]
            encodings = tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            _write(file, (np.array(encoding.ids, "<u4") for encoding in encodings))


def batches(task: Task) -> Iterator[list[bytes]]:
    """The text in blocks, some at a time. Without a pattern it is a single block."""
    texts = iter([Path(task.corpus).read_bytes()] if task.pattern is None else blocks(task.corpus, BLOCK))
    while some := list(islice(texts, BLOCKS_AT_ONCE)):
        yield some


def _write(file, arrays: Iterable[np.ndarray]) -> None:
    for ids in arrays:
        file.write(ids.astype("<u4", copy=False).data)


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


# --- many short texts -------------------------------------------------------------------------------------------------


def g2c_batch(task: Task, out: Path) -> None:
    from g2c.tokenizer import load

    _write_lists(out, load(task.tokenizer).encode_batch(_short_texts(task), num_threads=task.workers))


def g2c_one_by_one(task: Task, out: Path) -> None:
    from g2c.tokenizer import load

    _write_lists(out, map(load(task.tokenizer).encode_fast, _short_texts(task)))


def tokenizers_batch(task: Task, out: Path) -> None:
    from tokenizers import Tokenizer

    encodings = Tokenizer.from_file(task.tokenizer).encode_batch_fast(_short_texts(task), add_special_tokens=False)
    _write_lists(out, (encoding.ids for encoding in encodings))


def tokenizers_one_by_one(task: Task, out: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(task.tokenizer)
    _write_lists(out, (tokenizer.encode(text, add_special_tokens=False).ids for text in _short_texts(task)))


def tiktoken_batch(task: Task, out: Path) -> None:
    encoding = _tiktoken_encoding(task)
    _write_lists(out, encoding.encode_batch(_short_texts(task), num_threads=task.workers, allowed_special="all"))


def tiktoken_one_by_one(task: Task, out: Path) -> None:
    encoding = _tiktoken_encoding(task)
    _write_lists(out, (encoding.encode(text, allowed_special="all") for text in _short_texts(task)))


def _short_texts(task: Task) -> list[str]:
    return [text.decode() for text in cut(Path(task.corpus).read_bytes(), SHORT_TEXT)]


def _write_lists(out: Path, ids_of_texts: Iterable[list[int]]) -> None:
    np.fromiter(chain.from_iterable(ids_of_texts), "<u4").tofile(out)


LOADING = "g2c.formats.artifact"

CONTENDERS = [
    Contender(
        "g2c encode",
        with_g2c,
        ("g2c.corpus.encoding", LOADING),
        "The command's work: IDs with checksums, a journal, tokenizer.json and manifest.json, flushed to the disk.",
    ),
    Contender(
        "g2c, IDs alone",
        with_g2c_loops,
        ("g2c.engine.encoding", LOADING),
        "The loops of g2c encode: blocks of 1 MB on threads, IDs to a file. The libraries do no more than this.",
    ),
    Contender(
        "gigatoken",
        with_gigatoken,
        ("gigatoken",),
        "encode_batch on its threads; tokenizer.json; 32 blocks of 1 MB in a call.",
    ),
    Contender(
        "quicktok",
        with_quicktok,
        ("quicktok",),
        "encode_batch on threads of the benchmark, a block of 1 MB in a call. The time includes the import of "
        "tokenizer.json, which it tests.",
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

ONE_CALL, ONE_EACH = "All texts in one call.", "A call for each text."

SHORT_TEXTS = [
    Contender("g2c encode_batch", g2c_batch, ("g2c.engine.many_texts", LOADING), ONE_CALL),
    Contender("g2c encode_fast", g2c_one_by_one, ("g2c.engine.fast", LOADING), ONE_EACH),
    Contender("tokenizers encode_batch_fast", tokenizers_batch, ("tokenizers",), ONE_CALL),
    Contender("tokenizers encode", tokenizers_one_by_one, ("tokenizers",), ONE_EACH),
    Contender("tiktoken encode_batch", tiktoken_batch, ("tiktoken", LOADING), ONE_CALL),
    Contender("tiktoken encode", tiktoken_one_by_one, ("tiktoken", LOADING), ONE_EACH),
]
"""The same text, cut into short ones."""
