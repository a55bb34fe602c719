"""The contenders in training, one function each: from a text file to the learned tokens.

Ties between equally frequent pairs are common, so merges are comparable only if all break ties alike. `tokenizers` and
gigabpe merge the pair with the lowest IDs, as `train_exact` does with `ties="lowest-id"`. They would number the bytes
in the order of their spelling; so they get the bytes as special tokens, which come first and in the order given. Then
the merges are the same, in the same order.

gigabpe reads its file line by line, so that no token contains a line end and text after it. Its merges are compared
with those of `train_exact` on a corpus in which each line is a document.

An output is the list of tokens in the order learned, in hexadecimal. It determines the merges: the tokens learned
before a token split its bytes into the two parts that were merged.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from contest import Contender, Task, blocks

BLOCK = 8 << 10
"""Bytes of text that a library gets at a time."""


def with_train_exact(task: Task, out: Path) -> None:
    from g2c.corpus.training import train_exact_corpus
    from g2c.solutions.bpe import BPETokenizer

    tokenizer = BPETokenizer(pattern=task.pattern)
    train_exact_corpus(
        tokenizer, Path(task.corpus), task.vocab_size, ties="lowest-id", workers=task.workers, progress=False
    )
    write_tokens_of(tokenizer, out)


def with_train_exact_by_line(task: Task, out: Path) -> None:
    from g2c.corpus.training import train_exact_corpus
    from g2c.solutions.bpe import BPETokenizer

    separator = "<|endoftext|>"
    lines = out.with_suffix(".lines.txt")
    with lines.open("wb") as file:
        for block in blocks(task.corpus, 1 << 20):
            file.write(block.replace(b"\n", b"\n" + separator.encode()))
    tokenizer = BPETokenizer([separator], pattern=task.pattern)
    train_exact_corpus(tokenizer, lines, task.vocab_size + 1, ties="lowest-id", workers=task.workers, progress=False)
    lines.unlink()
    write_tokens_of(tokenizer, out)


def with_tokenizers(task: Task, out: Path) -> None:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(regex_of(task)), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    trainer = trainers.BpeTrainer(vocab_size=task.vocab_size, special_tokens=alphabet(), show_progress=False)
    tokenizer.train_from_iterator(texts(task.corpus), trainer)
    write_joined(json.loads(tokenizer.to_str())["model"]["merges"], out)


def with_gigabpe(task: Task, out: Path) -> None:
    import gigabpe

    _, merges = gigabpe.train_bpe(
        [task.corpus], task.vocab_size, pretokenizer="bytelevel", special_tokens=alphabet(), threads=task.workers
    )
    write_joined(merges, out)


EXACT = ("g2c.corpus.training", "g2c.solutions.bpe", "loaded")
PATTERNS = "g2c.tokenizer.patterns"
SPELLINGS = "g2c.formats.hf_format"

CONTENDERS = [
    Contender("train_exact", with_train_exact, EXACT, "train_exact_corpus reads the file and trains."),
    Contender(
        "tokenizers",
        with_tokenizers,
        ("tokenizers", PATTERNS, SPELLINGS),
        "BpeTrainer with the pattern, called directly; text in blocks of 8 kB.",
    ),
    Contender(
        "train_exact by line",
        with_train_exact_by_line,
        EXACT,
        "As train_exact, but each line is a document: the measure of gigabpe. Writing this file is part of the time.",
        output="by line",
    ),
    Contender(
        "gigabpe",
        with_gigabpe,
        ("gigabpe", SPELLINGS),
        "train_bpe reads the file line by line, and must learn the merges of train_exact by line.",
        output="by line",
    ),
]


def regex_of(task: Task) -> str:
    from g2c.tokenizer.patterns import PATTERNS

    return PATTERNS[task.pattern]


def texts(corpus: str) -> Iterator[str]:
    return (block.decode() for block in blocks(corpus, BLOCK))


def alphabet() -> list[str]:
    """The characters that GPT-2 uses for the bytes, in the order of the bytes."""
    from g2c.formats.hf_format import BYTE_TO_CHAR

    return list(BYTE_TO_CHAR.values())


def write_tokens_of(tokenizer, out: Path) -> None:
    write_tokens((tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()), out)


def write_joined(merges: Iterable[tuple[str, str]], out: Path) -> None:
    from g2c.formats.hf_format import BYTE_TO_CHAR

    byte_of = {char: byte for byte, char in BYTE_TO_CHAR.items()}
    write_tokens((bytes(byte_of[char] for char in left + right) for left, right in merges), out)


def write_tokens(tokens: Iterable[bytes], out: Path) -> None:
    out.write_text("".join(f"{token.hex()}\n" for token in tokens))
