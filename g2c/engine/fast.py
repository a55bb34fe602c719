"""Encoding any text fast, and training with the Rust library `tokenizers` (Hugging Face), in the IDs of the course.

The library's trainer runs the same algorithm as yours. `train_fast` adds what makes the results equal: bytes keep their
IDs, special tokens are barriers, and input and output are the course's `merges` and `vocab`.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from g2c.common.progress import Progress, Reporter, shown_progress
from g2c.common.versioned import VersionedDict
from g2c.engine.encoding import SHORT_TEXT, Encoder, Tables
from g2c.engine.parts import MARK, TEXT_END, SpecialTokens
from g2c.formats.hf_format import BYTE_TO_CHAR
from g2c.formats.merge_table import MergeTable, merge_table
from g2c.tokenizer.base import BPEBase, each_text, warn_vocabulary_not_reached
from g2c.tokenizer.checks import check_text
from g2c.tokenizer.patterns import blocks_of, splitter
from g2c.tokenizer.special_tokens import AllowedSpecial, split_at_special_tokens

CHUNK = 1000
"""Number of characters in a chunk for the trainer, without a pattern."""


# --- training ---------------------------------------------------------------------------------------------------------


def train_fast(tokenizer: BPEBase, text: str | Iterable[str], vocab_size: int, *, progress: Progress = None) -> None:
    """Learn merges with the trainer of `tokenizers`. The new merges replace the old ones when training has ended.

    Among equally frequent pairs it merges the one with the lowest (first ID, second ID), while `train` merges the one
    seen first. With a pattern that is the only difference: `train_exact(..., ties="lowest-id")` gives the same merges.

    Without a pattern there is a second difference. The trainer treats a piece of text as one word and scans the whole
    word for each merge in it, so a corpus in one piece takes minutes for each megabyte. Text is therefore cut after
    every 1,000 characters. The pairs across these cuts are not counted, so some merges differ from those of the whole
    text. `train_exact` needs no cuts.

    Memory grows with the number of distinct pieces, not with the length of the corpus. Ctrl-C while text is being read
    ends training and leaves the tokenizer unchanged; while merges are being learned it takes effect at the end.

    Args:
        tokenizer: gets new `merges` and `vocab`.
        text: the corpus, as one text or as an iterable of texts, each read once. No pair crosses from one text to the
            next. Special tokens in a text are barriers.
        vocab_size: number of tokens in the end: 256 bytes, special tokens and learned merges.
        progress: True shows the bytes read so far, False nothing, None shows them in a terminal or notebook only.

    Returns:
        None: the library does not keep the text.

    Raises:
        TypeError: `text` is neither a str nor an iterable of str, or a number is not an int.
        ValueError: `vocab_size` is below `base_vocab_size`, or a text holds a lone surrogate.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(pattern="gpt2")
    >>> train_fast(tokenizer, ["low low low low low lower lower", "lowest"], 260)
    >>> [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()]
    [b'lo', b'low', b' low', b'er']
    """
    tokenizer._check_training(vocab_size)
    texts = each_text(text)
    byte_of_id = {token_id: byte for byte, token_id in enumerate(tokenizer.byte_ids)}
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size - len(tokenizer.special_tokens),
        show_progress=False,
        # The trainer would number the alphabet by code point. Its special tokens come first, in the order given, so
        # this way bytes keep their IDs and ties are broken by them.
        special_tokens=[BYTE_TO_CHAR[byte_of_id[token_id]] for token_id in range(256)],
    )
    learner = Tokenizer(models.BPE())
    # As in tokenizer.json: split by the pattern, then write bytes as characters.
    steps = [] if tokenizer.pattern is None else [splitter(tokenizer.pattern)]
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    learner.pre_tokenizer = pre_tokenizers.Sequence([*steps, byte_level])
    total = len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else None
    with shown_progress(progress, "Reading", total=total, unit="MB") as bar:
        learner.train_from_iterator(_training_texts(tokenizer, texts, bar), trainer)

    merges = json.loads(learner.to_str())["model"]["merges"]
    token_ids = learner.get_vocab()
    # The trainer has none of the course's special tokens, so its merges follow the bytes.
    tokenizer._reset()
    tokenizer.merges = VersionedDict()
    ids = [*range(256), *islice(tokenizer.merge_ids(), len(token_ids) - 256)]
    our_id = {spelling: ids[rust_id] for spelling, rust_id in token_ids.items()}
    for left, right in merges:
        first, second, new_id = our_id[left], our_id[right], our_id[left + right]
        tokenizer.merges[first, second] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[first] + tokenizer.vocab[second]
    if tokenizer.vocab_size < vocab_size:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size)


def _training_texts(tokenizer: BPEBase, texts: Iterable[str], bar: Reporter) -> Iterator[str]:
    """The parts of the corpus that the trainer gets: short, and without special tokens."""
    done = 0
    for number, text in enumerate(texts, start=1):
        try:
            check_text(text)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Text {number} of the corpus: {error}") from None
        for part in split_at_special_tokens(text, tokenizer.special_tokens):
            if part not in tokenizer.special_to_id:
                if tokenizer.pattern is None:
                    yield from (part[begin : begin + CHUNK] for begin in range(0, len(part), CHUNK))
                else:
                    yield from blocks_of(part, tokenizer.pattern)
            done += len(part.encode())
            bar.update(done)
    bar.note("Text read. Learning the merges; there is no progress report until this is done.")


# --- encoding ---------------------------------------------------------------------------------------------------------


def encode_fast(tokenizer: BPEBase, text: str, *, allowed_special: AllowedSpecial = "all") -> list[int]:
    """The IDs that `tokenizer.encode(text)` gives, for any text.

    Args:
        allowed_special: as for `BPETokenizer.encode_with_special`.

    Raises:
        TypeError: `text` is not a str.
        ValueError: `text` holds a lone surrogate; the merges are not in the order learned, as `MergeTable.of` says; or
            the library cannot split the text by the pattern, which happens with millions of spaces under a custom
            pattern.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"])
    >>> _ = tokenizer.train_exact("the the the", 260)
    >>> encode_fast(tokenizer, "the the<|end|>")
    [259, 258, 256]
    """
    check_text(text)
    return encoder_of_texts(tokenizer, allowed_special)([text])[0]


def encode_ordinary_fast(tokenizer: BPEBase, text: str) -> list[int]:
    """The IDs that `tokenizer.encode_ordinary(text)` gives: special tokens in `text` are plain characters.

    Raises: as `encode_fast`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> encode_ordinary_fast(BPETokenizer(["<|end|>"]), "<|end|>")
    [60, 124, 101, 110, 100, 124, 62]
    """
    return encode_fast(tokenizer, text, allowed_special="none")


def encoder_of_texts(
    tokenizer: BPEBase, allowed_special: AllowedSpecial = "all"
) -> Callable[[Sequence[str]], list[list[int]]]:
    """A function that gives the IDs of `encode_fast` for each of several texts. Any number of threads may call it.

    They are those of the tokenizer as it is now, whatever becomes of it. The texts have passed `check_text`.
    Raises: as `encode_fast`.
    """
    special_to_id = {} if allowed_special == "none" else dict(tokenizer._allowing(allowed_special).special_to_id)
    tables, idle = _encoders(merge_table(tokenizer), tokenizer.pattern)

    def encode(texts: Sequence[str]) -> list[list[int]]:
        try:
            encoder = idle.pop()
        except IndexError:
            encoder = Encoder(tables)
        if len(texts) == 1 and 4 * len(texts[0]) <= SHORT_TEXT:
            result = [_short_ids(encoder, texts[0], special_to_id)]
        else:
            ids = np.concatenate(list(encoder.encode(*SpecialTokens(special_to_id, TEXT_END).joined(texts))))
            ends = np.flatnonzero(ids == MARK).tolist()
            result = [ids[begin:end].tolist() for begin, end in zip([0, *(end + 1 for end in ends)], ends)]
        # After an error or Ctrl-C it is not used again.
        idle.append(encoder)
        return result

    return encode


def _short_ids(encoder: Encoder, text: str, special_to_id: Mapping[str, int]) -> list[int]:
    if not special_to_id:
        return encoder.encode_short(text.encode())
    ids: list[int] = []
    for part in split_at_special_tokens(text, special_to_id):
        ids += [special_to_id[part]] if part in special_to_id else encoder.encode_short(part.encode())
    return ids


def tables_of(tokenizer: BPEBase) -> Tables:
    """The tables of a tokenizer as it is now. Raises: as `encode_fast`."""
    return _encoders(merge_table(tokenizer), tokenizer.pattern)[0]


@lru_cache(maxsize=4)
def _encoders(table: MergeTable, pattern: str | None) -> tuple[Tables, deque[Encoder]]:
    """What all encoders for a table of merges and a pattern share, and those that no thread uses at present."""
    return Tables.of(table, pattern), deque()
