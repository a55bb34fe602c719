"""The engine's two trainers behind one signature: on one text or many, with special tokens at any IDs.

The trainers in exact.py and fast.py number tokens in the order bytes, special tokens, merges, which keeps their IDs
small. A tokenizer whose special tokens have other IDs is trained through a copy in this order. The order of any two
bytes or merges is the same in both numberings, so ties between pairs are decided alike.
"""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Literal

from g2c.common.errors import VocabularyNotReached
from g2c.common.progress import Progress
from g2c.engine import exact, fast
from g2c.engine.exact import Ties
from g2c.tokenizer.base import BPEBase, each_text, warn_vocabulary_not_reached


def train_exact(
    tokenizer: BPEBase,
    text: str | Iterable[str],
    vocab_size: int,
    *,
    ties: Ties = "first-seen",
    progress: Progress = None,
) -> list[int]:
    """Learn merges from a text or from several, as `tokenizer.train` does, and return their IDs.

    Arguments, result and errors are those of `tokenizer.train`; `ties` are those of `g2c.engine.exact.train_exact`. All
    texts are in memory at once. For corpora that do not fit, see `g2c.corpus.training.train_exact_corpus`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer({"<|end|>": 300})
    >>> train_exact(tokenizer, ["the the", "the<|end|>"], 259)
    [257, 32, 257, 257, 300]
    >>> tokenizer.merges
    {(116, 104): 256, (256, 101): 257}
    """
    tokenizer._check_training(vocab_size)
    if isinstance(text, str):
        return _train_exact(tokenizer, text, vocab_size, None, ties, progress)
    texts = list(each_text(text))
    for part in texts:
        if not isinstance(part, str):
            raise TypeError(f"An iterable of texts must contain str, but one entry is of type {type(part).__name__}.")
    if len(texts) < 2:
        return _train_exact(tokenizer, "".join(texts), vocab_size, None, ties, progress)
    # Special tokens are barriers, so one that occurs in no text separates the texts.
    separator = next(name for name in map("<|text {}|>".format, count()) if not any(name in part for part in texts))
    return _train_exact(tokenizer, separator.join(texts), vocab_size, separator, ties, progress)


def _train_exact(
    tokenizer: BPEBase, text: str, vocab_size: int, separator: str | None, ties: Ties, progress: Progress
) -> list[int]:
    more = [] if separator is None else [separator]
    copied = tokenizer._in_training_order(more)
    with _warning_about(tokenizer, vocab_size, stacklevel=7):
        try:
            ids = exact.train_exact(copied, text, vocab_size + len(more), ties=ties, progress=progress)
        except KeyboardInterrupt:
            # The merges learned so far are complete.
            tokenizer._take_merges(copied)
            raise
        new_ids = tokenizer._take_merges(copied)
    separator_id = None if separator is None else copied.special_to_id[separator]
    if separator is None and all(ours == theirs for theirs, ours in new_ids.items()):
        return ids
    return [new_ids.get(token_id, token_id) for token_id in ids if token_id != separator_id]


def train_fast(
    tokenizer: BPEBase,
    text: str | Iterable[str],
    vocab_size: int,
    *,
    ties: Literal["lowest-id"] = "lowest-id",
    chunk_chars: int = 1000,
    progress: Progress = None,
) -> None:
    """Learn merges with the Rust library `tokenizers`. See `g2c.engine.fast.train_fast`, which does the work.

    Raises:
        TypeError, ValueError: as `g2c.engine.fast.train_fast`; and ValueError for another rule than "lowest-id".

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer({"<|end|>": 256 + 2}, pattern="gpt2")
    >>> train_fast(tokenizer, ["low low low low low lower lower", "lowest"], 261)
    >>> {new_id: tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()}
    {256: b'lo', 257: b'low', 259: b' low', 260: b'er'}
    """
    if ties != "lowest-id":
        raise ValueError(
            f"ties is {ties!r}, but the library tokenizers merges the pair with the lowest IDs. For other rules use "
            "train_exact."
        )
    tokenizer._check_training(vocab_size)
    copied = tokenizer._in_training_order()
    with _warning_about(tokenizer, vocab_size, stacklevel=6):
        fast.train_fast(copied, text, vocab_size, chunk_chars=chunk_chars, progress=progress)
        tokenizer._take_merges(copied)


@contextmanager
def _warning_about(tokenizer: BPEBase, vocab_size: int, *, stacklevel: int) -> Iterator[None]:
    """Warn about a vocabulary that was not reached when the block ends, instead of within it.

    The copy that is trained may have one special token more. `stacklevel` leads to the line of the caller's caller.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VocabularyNotReached)
        yield
    if tokenizer.vocab_size < vocab_size:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size, stacklevel=stacklevel)
