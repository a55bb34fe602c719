"""Trains and encodes exactly, for the suites, which compare the student's code with the engine.

The engine needs numpy, so in a page the lab's JavaScript does its work (g2c/lab/page/tokenizer.js).
"""

import sys
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from js import engineEncoding, engineTraining

from g2c.tokenizer import patterns
from g2c.tokenizer.base import BOUNDARY, BPEBase, warn_vocabulary_not_reached


def train_exact(tokenizer: BPEBase, text: str | Iterable[str], vocab_size: int, **_: Any) -> list[int]:
    """Learn merges as `BPEBase.train_exact` does, with the ties of `train`."""
    return _train(tokenizer, tokenizer._training_ids(text), vocab_size)


def train_on_words(tokenizer: BPEBase, counts: list[tuple[bytes, int]], vocab_size: int, **_: Any) -> None:
    """Learn merges from words."""
    ids = [part for word, frequency in counts for part in (*word, BOUNDARY) * frequency]
    _train(tokenizer, ids, vocab_size)


def _train(tokenizer: BPEBase, ids: list[int], vocab_size: int) -> list[int]:
    tokenizer.check_training(vocab_size)
    # No pair may touch a special token, so the script gets a boundary on both sides.
    special = tokenizer.special_token_ids
    cut = [part for one in ids for part in ((BOUNDARY, one, BOUNDARY) if one in special else (one,))]
    tokenizer._reset()
    learned, ids = engineTraining(cut, vocab_size - tokenizer.base_vocab_size, tokenizer.base_vocab_size).to_py()
    for new_id, (left, right, _) in enumerate(learned, start=tokenizer.base_vocab_size):
        tokenizer.merges[left, right] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[left] + tokenizer.vocab[right]
    if tokenizer.vocab_size < vocab_size:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size)
    return [one for one in ids if one != BOUNDARY]


def encode_fast(tokenizer: BPEBase, text: str) -> list[int]:
    """Encode a text as `BPEBase.encode_fast` does."""
    merges = [part for (left, right), new_id in tokenizer.merges.items() for part in (left, right, new_id)]
    parts = [[part] if isinstance(part, int) else list(part) for part in tokenizer._pieces(text)]
    ids: list[int] = engineEncoding(merges, parts).to_py()
    return ids


def take_the_place_of_libraries() -> None:
    """Make these functions importable as g2c.engine's, with a list in place of its WordCounts, and split texts by the
    browser's RegExp."""
    patterns.LIBRARY = "g2c.page.regexes"
    functions = {one.__name__: one for one in (train_exact, train_on_words, encode_fast)}
    engine: Any = SimpleNamespace(**functions, WordCounts=SimpleNamespace(of=list))
    sys.modules |= dict.fromkeys(["g2c.engine", "g2c.engine.exact", "g2c.engine.fast"], engine)
