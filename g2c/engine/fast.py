"""The functions that a tokenizer's methods call: encoding and decoding a text, and training in Rust."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from g2c.engine.encoding import Encoder, Tables
from g2c.engine.parts import SpecialTokens
from g2c.formats.hf_format import BYTE_TO_CHAR
from g2c.formats.table import Table
from g2c.tokenizer.base import BPEBase, each_text, warn_vocabulary_not_reached
from g2c.tokenizer.checks import check_id, check_text
from g2c.tokenizer.patterns import panics_as_errors, short_texts, splitter
from g2c.tokenizer.special_tokens import split_at_special_tokens

CHUNK = 1000  # The largest number of characters in a piece for the trainer of `train_fast`.


# --- encoding and decoding --------------------------------------------------------------------------------------------


def encode_fast(tokenizer: BPEBase, text: str) -> list[int]:
    """Return the IDs that `encode(text)` gives. Any number of threads may call it.

    Raises TypeError if `text` is not a str, and ValueError if it contains a lone surrogate or is too long for a custom
    pattern, or if the merges are not in the order learned.

    >>> tokenizer = BPETokenizer(["<|end|>"])
    >>> _ = tokenizer.train_exact("the the the", 260)
    >>> tokenizer.encode_fast("the the<|end|>")
    [259, 258, 256]
    """
    check_text(text)
    return encode_texts(tokenizer, [text])


def encode_ordinary_fast(tokenizer: BPEBase, text: str) -> list[int]:
    """Return the IDs that `encode_ordinary(text)` gives."""
    check_text(text)
    return _encoder(Table.of(tokenizer), True)([text])


def encode_texts(tokenizer: BPEBase, texts: Sequence[str]) -> list[int]:
    """Return the IDs of several texts in a row, which `check_text` has passed."""
    return _encoder(Table.of(tokenizer), False)(texts)


@lru_cache(maxsize=4)
def _encoder(table: Table, as_plain_text: bool) -> Callable[[Sequence[str]], list[int]]:
    special_to_id = {} if as_plain_text else table.special_to_id
    special_tokens, tables = SpecialTokens(special_to_id, normalization=table.normalization), _tables(table)
    idle: deque[Encoder] = deque()

    def encode(texts: Sequence[str]) -> list[int]:
        try:
            encoder = idle.pop()
        except IndexError:
            encoder = Encoder(tables)
        ids = list(encoder.encode(*special_tokens.joined(texts)))
        # After an error or Ctrl-C, the encoder is not used again.
        idle.append(encoder)
        return np.concatenate(ids).tolist() if ids else []

    return encode


def tables_of(tokenizer: BPEBase) -> Tables:
    """Return the tables of a tokenizer as it is now. Raises what `Table.of` raises."""
    return _tables(Table.of(tokenizer))


_tables = lru_cache(maxsize=4)(Tables.of)


def decode_bytes(tokenizer: BPEBase, ids: Iterable[int]) -> bytes:
    """Return the tokens' bytes, joined, from which `decode` makes text. Raises ValueError for an unknown ID."""
    ids, vocab = ids.tolist() if isinstance(ids, np.ndarray) else list(ids), tokenizer.vocab
    try:
        return b"".join([vocab[token_id] for token_id in ids])
    except (KeyError, TypeError):
        for token_id in ids:
            check_id(token_id, vocab)
        raise


# --- training ---------------------------------------------------------------------------------------------------------


def train_fast(tokenizer: BPEBase, text: str | Iterable[str], vocab_size: int, *, progress: bool = False) -> None:
    """Learn merges with the trainer of `tokenizers`. Arguments and errors are those of `train`, but `progress`
    shows the library's own bars.

    The merges are those of `train_exact(..., ties="lowest-id")` if there is a pattern and no piece of the text has more
    than 1,000 characters. The trainer's time grows with the square of a piece's length, so longer pieces are cut after
    every 1,000 characters, as is a text without a pattern. Pairs across the cuts are not counted, so some merges may
    differ. Ctrl-C takes effect when all merges are learned.
    """
    tokenizer.check_training(vocab_size)
    texts = each_text(text)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size - len(tokenizer.special_tokens),
        show_progress=progress,
        # The trainer would number the alphabet by code point. But its special tokens come first, in the order given, so
        # as special tokens the bytes keep their IDs, which break ties.
        special_tokens=list(BYTE_TO_CHAR.values()),
    )
    learner = Tokenizer(models.BPE())
    # As in tokenizer.json: split by the pattern, then write bytes as characters.
    steps = [] if tokenizer.pattern is None else [splitter(tokenizer.pattern), pre_tokenizers.FixedLength(CHUNK)]
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    learner.pre_tokenizer = pre_tokenizers.Sequence([*steps, byte_level])
    with panics_as_errors():
        learner.train_from_iterator(_training_texts(tokenizer, texts), trainer)

    merges = json.loads(learner.to_str())["model"]["merges"]
    # The trainer does not know the course's special tokens, so its merges follow the bytes.
    rust_ids = learner.get_vocab()
    ids = [*range(256), *islice(tokenizer.merge_ids(), len(rust_ids) - 256)]
    tokenizer.set_merges([(ids[rust_ids[left]], ids[rust_ids[right]]) for left, right in merges])
    if tokenizer.vocab_size < vocab_size:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size)


def _training_texts(tokenizer: BPEBase, texts: Iterable[str]) -> Iterator[str]:
    """Yield the corpus in short parts without special tokens."""
    for text in texts:
        check_text(text)
        for part in split_at_special_tokens(text, tokenizer.special_tokens):
            if part not in tokenizer.special_to_id:
                if tokenizer.pattern is None:
                    yield from (part[begin : begin + CHUNK] for begin in range(0, len(part), CHUNK))
                else:
                    yield from short_texts(part, tokenizer.pattern)
