"""From a text file to a file of token IDs: the course against the libraries, on the same text with the same tokenizer.

    python benchmarks/encode_corpus.py [--size 100MB] [--pattern gpt4] [--vocab 8192] [--workers 2] [--runs 3]

Every contender runs in a fresh process, reads the text file and writes little-endian uint32, on as many cores as the
others. The libraries get the text in blocks that are cut where no token changes, which is their fastest way:
`tokenizers` in batches on its own threads, tiktoken straight to numpy on threads of ours. Contenders take turns, and
the median of the runs counts. No time is printed before all files have been found to be the same, byte for byte. Memory
is that of the process and its workers together.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from contest import compete, print_table, serve
from text_generator import parse_size, write

BLOCK = 1 << 20


# --- the contenders ---------------------------------------------------------------------------------------------------


def with_g2c(out: Path, tokenizer_file: str, corpus: str, workers: str) -> None:
    from g2c.corpus_encoding import encode_corpus
    from g2c.tokenizer import load

    folder = out.with_suffix(".artifact")
    encode_corpus(load(tokenizer_file), Path(corpus), folder, workers=int(workers), progress=False)
    os.replace(folder / "ids.uint32", out)


def with_tokenizers(out: Path, tokenizer_file: str, corpus: str, workers: str) -> None:
    os.environ["RAYON_NUM_THREADS"] = workers
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_file)
    with out.open("wb") as file:
        for block in blocks(corpus):
            # Parts of some kilobytes keep all threads busy.
            parts = list(cut(block, 8 << 10))
            for encoding in tokenizer.encode_batch_fast([part.decode() for part in parts], add_special_tokens=False):
                file.write(np.array(encoding.ids, "<u4").data)


def with_tiktoken(out: Path, tokenizer_file: str, corpus: str, workers: str) -> None:
    import tiktoken

    from g2c.tokenizer import load

    ours = load(tokenizer_file)
    encoding = tiktoken.Encoding(
        "benchmark",
        pat_str=ours.pattern,
        mergeable_ranks={token: i for i, token in ours.vocab.items() if i not in ours.special_token_ids},
        special_tokens=ours.special_to_id,
        explicit_n_vocab=ours.vocab_size,
    )
    with out.open("wb") as file, ThreadPoolExecutor(int(workers)) as pool:
        texts = (block.decode() for block in blocks(corpus))
        for ids in pool.map(lambda text: encoding.encode_to_numpy(text, allowed_special="all"), texts):
            file.write(ids.astype("<u4").data)


CONTENDERS = {"g2c": with_g2c, "tokenizers": with_tokenizers, "tiktoken": with_tiktoken}


def blocks(corpus: str) -> Iterator[bytes]:
    """The text in blocks of about a megabyte, cut where it is safe."""
    rest = b""
    with open(corpus, "rb") as file:
        while data := file.read(BLOCK):
            *whole, rest = cut(rest + data, BLOCK)
            yield from whole
    yield rest


def cut(text: bytes, size: int) -> Iterator[bytes]:
    """Cut before a space that follows a lower-case letter, which changes no token under gpt2 and gpt4."""
    begin = 0
    while len(text) - begin > size:
        end = text.find(b" ", begin + size)
        while end > 0 and not text[end - 1 : end].islower():
            end = text.find(b" ", end + 1)
        if end < 0:
            break
        yield text[begin:end]
        begin = end
    yield text[begin:]


# --- the contest ------------------------------------------------------------------------------------------------------


def make_tokenizer(corpus: Path, pattern: str, vocab_size: int, path: Path) -> None:
    from g2c.tokenizer import BPETokenizer, save

    tokenizer = BPETokenizer.with_course_special_tokens(pattern=pattern)
    with corpus.open("rb") as file:
        text = file.read(10_000_000).decode(errors="ignore")
    tokenizer.train_fast(text, vocab_size, progress=False)
    save(tokenizer, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=parse_size, default=parse_size("100MB"), help="of the generated text")
    parser.add_argument("--corpus", type=Path, help="a text file to encode instead of a generated one")
    parser.add_argument("--pattern", choices=["gpt2", "gpt4"], default="gpt4")
    parser.add_argument("--vocab", type=int, default=8192)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = options.corpus
        if corpus is None:
            corpus = folder / "corpus.txt"
            write(corpus, options.size)
        tokenizer_file = folder / "tokenizer.json"
        make_tokenizer(corpus, options.pattern, options.vocab, tokenizer_file)
        arguments = [str(tokenizer_file), str(corpus), str(options.workers)]
        results = compete(__file__, list(CONTENDERS), options.runs, folder, arguments)
        megabytes = corpus.stat().st_size / 1e6
        print(
            f"{megabytes:.0f} MB of text, {options.pattern} pattern, vocabulary {options.vocab}, "
            f"{options.workers} processes or threads, {options.runs} runs, all outputs identical:\n"
        )
        print_table(results, megabytes)


if __name__ == "__main__":
    if not serve(CONTENDERS):
        main()
