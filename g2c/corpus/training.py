"""Exact training on a corpus of any size: count its words on all cores, then learn from the counts.

A gigabyte of text has a few hundred thousand distinct words. They are listed in order of first appearance, because
among equally frequent pairs the one seen first is merged.
"""

from contextlib import closing

from g2c.common.progress import Progress, shown_progress
from g2c.corpus.batches import Batch, batches_of
from g2c.corpus.documents import CorpusArgument, CorpusInput
from g2c.corpus.workers import run
from g2c.engine.counting import WordCounter, WordCounts
from g2c.engine.exact import Ties, check_training, train_on_words, words_of
from g2c.engine.parts import NO_TOKEN, SpecialTokens
from g2c.tokenizer.base import BPEBase


def train_exact_corpus(
    tokenizer: BPEBase,
    corpus: CorpusArgument,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    workers: int | None = None,
    progress: Progress = None,
) -> None:
    """Learn the merges that `tokenizer.train` would learn from a corpus, which may be larger than memory.

    Args:
        tokenizer: gets new merges. Without a pattern, training takes thirty times the corpus's size in memory.
        corpus, workers, progress: as for `g2c.corpus.encoding.encode_corpus`.
        vocab_size, ties: as for `train_exact`.

    Raises what `train_exact` and `encode_corpus` raise for the same arguments.
    """
    check_training(tokenizer, vocab_size, ties)
    words = count_corpus_words(tokenizer, corpus, workers=workers, progress=progress)
    train_on_words(tokenizer, words, vocab_size, ties=ties, progress=progress)


def count_corpus_words(
    tokenizer: BPEBase, corpus: CorpusArgument, *, workers: int | None = None, progress: Progress = None
) -> WordCounts:
    """Count the pieces of a corpus, under the tokenizer's pattern, in order of first appearance.

    For arguments and errors see `train_exact_corpus`.
    """
    source, pattern = CorpusInput.of(corpus), tokenizer.pattern
    if pattern is None:
        # A text between two special tokens is one piece.
        texts = [text.decode() for text in source.encoded()]
        return words_of(tokenizer, ["".join(texts)] if source.is_text else texts)
    special_tokens = SpecialTokens(dict.fromkeys(tokenizer.special_tokens, NO_TOKEN))

    def count(batch: Batch) -> WordCounts:
        counter = WordCounter()
        counter.count(batch.text, pattern, special_tokens.parts(batch.text, batch.ends))
        return counter.words()

    total = WordCounter()
    with (
        shown_progress(progress, "Counting words", total=source.size, unit="MB") as bar,
        closing(run(count, batches_of(source, pattern, tokenizer.special_tokens), workers)) as counted,
    ):
        for batch, words in counted:
            total.add(words)
            bar.update(batch.read)
    return total.words()
