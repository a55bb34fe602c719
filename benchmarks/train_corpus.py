"""Training on a text file: the course against the trainer of `tokenizers`, which must learn the same merges.

    python benchmarks/train_corpus.py [--size 100MB] [--pattern gpt2] [--vocab 16384] [--workers 2] [--runs 3]

Every contender runs in a fresh process and writes its merges; among equally frequent pairs all take the lowest IDs. No
time is printed before the merges have been found to be the same. How contenders take turns is in contest.py.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from contest import compete, print_table, serve
from text_generator import parse_size, write

# --- the contenders ---------------------------------------------------------------------------------------------------


def with_train_exact(out: Path, corpus: str, pattern: str, vocab: str, workers: str) -> None:
    from g2c.corpus_training import train_exact_corpus
    from g2c.solutions.bpe import BPETokenizer

    tokenizer = BPETokenizer(pattern=pattern)
    train_exact_corpus(tokenizer, Path(corpus), int(vocab), ties="lowest-id", workers=int(workers), progress=False)
    write_merges(tokenizer, out)


def with_train_fast(out: Path, corpus: str, pattern: str, vocab: str, workers: str) -> None:
    os.environ["RAYON_NUM_THREADS"] = workers
    from g2c.solutions.bpe import BPETokenizer

    tokenizer = BPETokenizer(pattern=pattern)
    tokenizer.train_fast(blocks(corpus), int(vocab), progress=False)
    write_merges(tokenizer, out)


def with_tokenizers(out: Path, corpus: str, pattern: str, vocab: str, workers: str) -> None:
    os.environ["RAYON_NUM_THREADS"] = workers
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    from g2c.tokenizer.hf_format import BYTE_TO_CHAR, chars_to_bytes
    from g2c.tokenizer.patterns import PATTERNS

    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(PATTERNS[pattern]), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    # The alphabet stands first, as special tokens, so that it is numbered in the order of bytes and ties fall alike.
    alphabet = list(BYTE_TO_CHAR.values())
    trainer = trainers.BpeTrainer(vocab_size=int(vocab), special_tokens=alphabet, show_progress=False)
    tokenizer.train_from_iterator(blocks(corpus), trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    write_pairs([(chars_to_bytes(left), chars_to_bytes(right)) for left, right in merges], out)


CONTENDERS = {"train_exact": with_train_exact, "train_fast": with_train_fast, "tokenizers": with_tokenizers}


def blocks(corpus: str) -> Iterator[str]:
    """The text in blocks of some kilobytes, cut before a space that follows a lower-case letter."""
    rest = ""
    with open(corpus, encoding="utf-8", newline="") as file:
        while data := file.read(8 << 10):
            text = rest + data
            end = text.rfind(" ")
            while end > 0 and not text[end - 1].islower():
                end = text.rfind(" ", 0, end)
            end = max(end, 0)
            if end:
                yield text[:end]
            rest = text[end:]
    yield rest


def write_merges(tokenizer, out: Path) -> None:
    vocab = tokenizer.vocab
    write_pairs([(vocab[left], vocab[right]) for left, right in tokenizer.merges], out)


def write_pairs(pairs: list[tuple[bytes, bytes]], out: Path) -> None:
    out.write_text("".join(f"{left.hex()} {right.hex()}\n" for left, right in pairs))


# --- the contest ------------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=parse_size, default=parse_size("100MB"), help="of the generated text")
    parser.add_argument("--corpus", type=Path, help="a text file to train on instead of a generated one")
    parser.add_argument("--pattern", choices=["gpt2", "gpt4"], default="gpt2")
    parser.add_argument("--vocab", type=int, default=16384)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = options.corpus
        if corpus is None:
            corpus = folder / "corpus.txt"
            write(corpus, options.size)
        arguments = [str(corpus), options.pattern, str(options.vocab), str(options.workers)]
        results = compete(__file__, list(CONTENDERS), options.runs, folder, arguments)
        megabytes = corpus.stat().st_size / 1e6
        print(
            f"{megabytes:.0f} MB of text, {options.pattern} pattern, vocabulary {options.vocab}, "
            f"{options.workers} processes or threads, {options.runs} runs, all merges identical:\n"
        )
        print_table(results, megabytes)


if __name__ == "__main__":
    if not serve(CONTENDERS):
        main()
