"""The contenders in training, one function each: from a text file to the learned tokens.

Ties between equally frequent pairs are common, so merges are comparable only if all break ties alike. `tokenizers`,
gigabpe, rustbpe, bpeasy and ffbpe all merge the pair with the lowest IDs, as `train_exact` does with
`ties="lowest-id"`. The first two would number the bytes in the order of their spelling; they get the bytes as special
tokens, which come first and in the order given. Then the merges of all five are the same, in the same order.

Two are different:
- gigabpe reads its file line by line, so that no token contains a line end and text after it. Its merges are compared
  with those of `train_exact` on a corpus in which each line is a document.
- sentencepiece's BPE merges characters, not bytes, marks spaces with a special character and splits by other rules. No
  other trainer can learn the same merges. It is checked separately: its IDs must decode to the text.

An output is the list of tokens in the order learned, in hexadecimal. It determines the merges: the tokens learned
before a token split its bytes into the two parts that were merged (`g2c/tokenizer/pretrained.py`).
"""

import json
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from blocks import blocks
from contest import Contender, Task

BLOCK = 8 << 10
"""Bytes of text that a library gets at a time."""

FFBPE_PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt4": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
}
"""The same patterns in tiktoken's spelling, for which ffbpe has a specialized splitter that is twice as fast."""

CHECKED = 1 << 20
"""Bytes of text on which sentencepiece's tokens are checked."""

STEPS = 12
"""Number of single steps of plain recounting that are timed."""


# --- the course -------------------------------------------------------------------------------------------------------


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
    lines = out.with_suffix(".lines")
    with lines.open("wb") as file:
        for block in blocks(task.corpus, 1 << 20):
            file.write(block.replace(b"\n", b"\n" + separator.encode()))
    tokenizer = BPETokenizer([separator], pattern=task.pattern)
    train_exact_corpus(tokenizer, lines, task.vocab_size + 1, ties="lowest-id", workers=task.workers, progress=False)
    lines.unlink()
    write_tokens_of(tokenizer, out)


def with_train_fast(task: Task, out: Path) -> None:
    from g2c.solutions.bpe import BPETokenizer

    tokenizer = BPETokenizer(pattern=task.pattern)
    tokenizer.train_fast(texts(task.corpus), task.vocab_size, progress=False)
    write_tokens_of(tokenizer, out)


def with_train_exact_unsplit(task: Task, out: Path) -> None:
    from g2c.solutions.bpe import BPETokenizer

    tokenizer = BPETokenizer()
    tokenizer.train_exact(whole_text(task.corpus), task.vocab_size, progress=False)
    write_tokens_of(tokenizer, out)


def with_plain_recount(task: Task, out: Path) -> float:
    """The answer key's `train`, estimated from single steps distributed evenly over the training.

    The state of the corpus before a merge is what train_exact returns for the vocabulary up to that merge, and the step
    must find the merge that train_exact learned next. The time of a step decreases slowly and steadily with the number
    of tokens, so a few evenly distributed steps represent all of them.
    """
    from g2c.solutions.bpe import BPETokenizer

    text = whole_text(task.corpus)
    learned = BPETokenizer()
    learned.train_exact(text, task.vocab_size, progress=False)
    merges = list(learned.merges)
    times = []
    for step in range(STEPS):
        index = int((step + 0.5) * len(merges) / STEPS)
        tokenizer = BPETokenizer()
        ids = tokenizer.train_exact(text, 256 + index, progress=False)
        begin = time.perf_counter()
        _, pair, _ = tokenizer.train_step(ids, 256 + index)
        times.append(time.perf_counter() - begin)
        if pair != merges[index]:
            raise SystemExit(f"merge {index} is {pair} by plain recounting and {merges[index]} by train_exact")
    write_tokens_of(learned, out)
    return statistics.mean(times) * len(merges)


# --- the libraries ----------------------------------------------------------------------------------------------------


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


def with_rustbpe(task: Task, out: Path) -> None:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(texts(task.corpus), task.vocab_size, pattern=regex_of(task))
    write_ranked({bytes(token): rank for token, rank in tokenizer.get_mergeable_ranks()}, out)


def with_bpeasy(task: Task, out: Path) -> None:
    import bpeasy

    no_limit = 1 << 30
    write_ranked(bpeasy.train_bpe(texts(task.corpus), regex_of(task), no_limit, task.vocab_size), out)


def with_ffbpe(task: Task, out: Path) -> None:
    import ffbpe

    counter = ffbpe.PreTokenizer([], pat_str=FFBPE_PATTERNS[task.pattern]).word_counter()
    counter.add_source(texts(task.corpus))
    trainer = ffbpe.BpeTrainer([])
    trainer.add_word_counter(counter)
    trainer.train(task.vocab_size)
    write_ranked(trainer.vocab, out)


def with_sentencepiece(task: Task, out: Path) -> None:
    import sentencepiece

    model = out.with_suffix(".model")
    sentencepiece.SentencePieceTrainer.train(
        input=task.corpus,
        model_prefix=str(model.with_suffix("")),
        model_type="bpe",
        vocab_size=task.vocab_size,
        num_threads=task.workers,
        byte_fallback=True,
        character_coverage=1.0,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        max_sentence_length=1 << 30,
        minloglevel=2,
    )
    learned = sentencepiece.SentencePieceProcessor(model_file=str(model))
    model.unlink()
    model.with_suffix(".vocab").unlink()
    text = next(blocks(task.corpus, CHECKED)).decode()
    if learned.decode(learned.encode(text)) != text:
        raise SystemExit("its token IDs do not decode to the text")
    out.write_text("decodes")


EXACT = ("g2c.corpus.training", "g2c.solutions.bpe")
UNSPLIT = ("g2c.engine.exact", "g2c.solutions.bpe")
PATTERNS = "g2c.tokenizer.patterns"
SPELLINGS = "g2c.formats.hf_format"

WITH_A_PATTERN = [
    Contender("train_exact", with_train_exact, EXACT),
    Contender("train_fast", with_train_fast, ("g2c.engine.fast", "g2c.solutions.bpe")),
    Contender("tokenizers", with_tokenizers, ("tokenizers", PATTERNS, SPELLINGS)),
    Contender("rustbpe", with_rustbpe, ("rustbpe", PATTERNS)),
    Contender("bpeasy", with_bpeasy, ("bpeasy", PATTERNS)),
    Contender("ffbpe", with_ffbpe, ("ffbpe",)),
    Contender("train_exact by line", with_train_exact_by_line, EXACT, output="by line", is_referee=True),
    Contender(
        "gigabpe",
        with_gigabpe,
        ("gigabpe", SPELLINGS),
        output="by line",
        remark="Reads the text line by line. Checked against train_exact on the same lines, not timed.",
    ),
    Contender(
        "sentencepiece",
        with_sentencepiece,
        ("sentencepiece",),
        output="by itself",
        remark="Not comparable: characters instead of bytes, other pieces, other merges. For reference only. "
        "Checked: its token IDs decode to the text.",
        largest=100_000_000,
    ),
]

WITHOUT_A_PATTERN = [
    Contender("train_exact, no pattern", with_train_exact_unsplit, UNSPLIT, output="no pattern"),
    Contender(
        "plain recount, no pattern",
        with_plain_recount,
        UNSPLIT,
        output="no pattern",
        remark=f"Estimated from {STEPS} single steps, each of which must find the merge of train_exact at that point.",
    ),
]
"""For a text of one megabyte. The libraries' trainers would need minutes to hours for a text in one piece."""


# --- shared helpers ---------------------------------------------------------------------------------------------------


def regex_of(task: Task) -> str:
    from g2c.tokenizer.patterns import PATTERNS

    return PATTERNS[task.pattern]


def texts(corpus: str) -> Iterator[str]:
    return (block.decode() for block in blocks(corpus, BLOCK))


def whole_text(corpus: str) -> str:
    return Path(corpus).read_bytes().decode()


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


def write_ranked(ranks: dict[bytes, int], out: Path) -> None:
    write_tokens((token for token in sorted(ranks, key=ranks.get) if len(token) > 1), out)


def write_tokens(tokens: Iterable[bytes], out: Path) -> None:
    out.write_text("".join(f"{token.hex()}\n" for token in tokens))
