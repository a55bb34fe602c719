"""Exact training on a corpus of any size: count its words on all cores, then learn from the counts.

Training with a pattern needs only the distinct words of a corpus and how often each occurs. A gigabyte of text has a
few hundred thousand of them. Their order matters as well: among equally frequent pairs the one seen first is merged, so
the words are listed in order of first appearance.
"""

import os
from collections import Counter
from collections.abc import Callable
from contextlib import closing

from g2c.common.progress import Progress, byte_progress
from g2c.corpus.inputs import CorpusArgument, corpus_input
from g2c.corpus.shards import Cutter, Shard, SpecialTokens
from g2c.corpus.workers import cores, run
from g2c.engine.counting import WordCounter, WordCounts
from g2c.engine.encoding import NO_TOKEN
from g2c.engine.exact import Ties, train_on_words
from g2c.engine.splitting import has_loops
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import split_by_pattern

SHARD_BYTES = 16 << 20
"""Approximate size of the text that a worker counts at a time. Larger shards leave fewer counts to add up."""

SMALL_SHARD_BYTES = 1 << 20
"""The same for a small corpus, in which every worker is to have a shard."""


def train_exact_corpus(
    tokenizer: BPEBase,
    corpus: CorpusArgument,
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    workers: int | None = None,
    cluster: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> None:
    """Learn the merges that `tokenizer.train` would learn from a corpus, which may be larger than memory.

    Args:
        tokenizer: one with a pattern; gets new `merges` and `vocab`.
        corpus: as for `g2c.corpus.encoding.encode_corpus`. Special tokens and the ends of documents are barriers.
        vocab_size, ties: as for `train_exact`.
        workers: number of threads; None means one for each core. The merges do not depend on it.
        cluster: the address of a Dask scheduler whose workers count, instead of `workers`; as for `encode_corpus`.
        progress: True shows a progress bar, False nothing, None a bar in a terminal or notebook only.

    Raises:
        ValueError: the tokenizer has no pattern, `vocab_size` is too small, or both `workers` and `cluster` are given.
        CorpusError: the corpus is missing, or not UTF-8.
        CourseError: a worker was killed, or the cluster failed.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(pattern="gpt2")
    >>> train_exact_corpus(tokenizer, iter(["low lower", "lowest low"]), 258)
    >>> [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()]
    [b'lo', b'low']
    """
    tokenizer._check_training(vocab_size)
    words = _counted_words(tokenizer, corpus, workers, cluster, SHARD_BYTES, progress)
    train_on_words(tokenizer, words, vocab_size, ties=ties, progress=progress)


def count_words(
    tokenizer: BPEBase,
    corpus: CorpusArgument,
    *,
    workers: int | None = None,
    cluster: str | os.PathLike[str] | None = None,
    shard_bytes: int = SHARD_BYTES,
    progress: Progress = None,
) -> dict[bytes, int]:
    """How often each piece occurs in a corpus, under the tokenizer's pattern, in order of first appearance.

    Memory grows with the number of distinct pieces. Arguments and errors as for `train_exact_corpus`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> count_words(BPETokenizer(pattern="gpt2"), iter(["to be or not to be"]))
    {b'to': 1, b' be': 2, b' or': 1, b' not': 1, b' to': 1}
    """
    return dict(_counted_words(tokenizer, corpus, workers, cluster, shard_bytes, progress).items())


def _counted_words(
    tokenizer: BPEBase,
    corpus: CorpusArgument,
    workers: int | None,
    cluster: str | os.PathLike[str] | None,
    shard_bytes: int,
    progress: Progress,
) -> WordCounts:
    if tokenizer.pattern is None:
        raise ValueError(
            "Without a pattern a text is a single piece, so there are no words to count. "
            "Use train_exact on the text, or a tokenizer with pattern='gpt4'."
        )
    source = corpus_input(corpus)
    special_tokens = list(tokenizer.special_tokens)
    settings = tokenizer.pattern, special_tokens
    cutter = Cutter(tokenizer.pattern, special_tokens=special_tokens)
    if source.size is not None and cluster is None:
        share = source.size // max(1, workers or cores()) + 1
        shard_bytes = min(shard_bytes, max(SMALL_SHARD_BYTES, share))
    counter = WordCounter(words=1 << 16)
    done = 0
    with byte_progress(progress, total=source.size, description="Counting words") as bar:
        shards = source.shards(cutter, shard_bytes)
        with closing(run(shard_counter, settings, shards, workers, cluster=cluster, notify=bar.note)) as counted:
            for shard, words in counted:
                counter.add(words)
                done += shard.size
                bar.update(done)
    source.check_unchanged()
    return counter.words()


def shard_counter(settings: tuple[str, list[str]]) -> Callable[[Shard], WordCounts]:
    """A function that counts the words of one shard. Args: settings: the pattern, and the special tokens."""
    pattern, names = settings
    special_tokens = SpecialTokens(dict.fromkeys(names, NO_TOKEN))

    def count_shard(shard: Shard) -> WordCounts:
        text = shard.read()
        parts = special_tokens.parts(shard, text)
        if has_loops(pattern):
            counter = WordCounter(words=1 << max(12, (len(text) >> 7).bit_length()))
            counter.count(text, pattern, parts)
            return counter.words()
        pieces: Counter[bytes] = Counter()
        for begin, end in zip(parts.begins.tolist(), parts.ends.tolist()):
            pieces.update(piece.encode() for piece in split_by_pattern(text[begin:end].decode(), pattern))
        return WordCounts.of(pieces.items())

    return count_shard
