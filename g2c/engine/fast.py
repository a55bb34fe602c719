"""Training and encoding with the Rust library `tokenizers` (Hugging Face), in the IDs of the course.

The library's trainer and encoder run the same algorithm as yours. This module adds what makes the results equal: bytes
keep their IDs, special tokens are barriers, and input and output are the course's `merges` and `vocab`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from g2c.common.progress import Reporter, byte_progress
from g2c.engine.adjacency import byte_adjacency, cuts_between_tokens
from g2c.engine.merging import Merger
from g2c.engine.splitting import is_vectorized, safe_cuts
from g2c.engine.vectorized import VectorizedEncoder
from g2c.formats.hf_format import BYTE_TO_CHAR, CHAR_TO_BYTE, to_hf_dict
from g2c.tokenizer.base import BPEBase, check_text, warn_vocabulary_not_reached
from g2c.tokenizer.patterns import PATTERNS
from g2c.tokenizer.special_tokens import split_at_special_tokens

BLOCK = 2000
"""Approximate number of characters in a block for the encoder. Texts are cut only where that changes no token."""

TRAINING_BLOCK = 8000
"""The same for the trainer, which takes texts one by one: longer ones reduce the time spent waiting."""

BLOCKS_AT_ONCE = 512
"""Number of blocks that the library encodes in parallel before their IDs are copied and its memory is freed."""

NUMPY_FROM = 1 << 16
"""Texts with more characters than this are encoded in numpy, which takes less time and memory for long pieces."""

WINDOW = 1 << 20
"""Bytes scanned for cuts in one step."""

_State = tuple[Any, ...]
"""A copy of the state of a tokenizer that something was built from, to notice when it changes."""


# --- training ---------------------------------------------------------------------------------------------------------


def train_fast(
    tokenizer: BPEBase,
    texts: str | Iterable[str],
    vocab_size: int,
    *,
    chunk_chars: int = 1000,
    progress: bool | None = None,
) -> None:
    """Learn merges with the trainer of `tokenizers`. The new merges replace the old ones when training has ended.

    Among equally frequent pairs it merges the one with the lowest (first ID, second ID), while `train` merges the one
    seen first. With a pattern that is the only difference: `train_exact(..., ties="lowest-id")` gives the same merges.

    Without a pattern there is a second difference. The trainer treats a piece of text as one word and scans the whole
    word for each merge in it, so a corpus in one piece takes minutes for each megabyte. Text is therefore cut after
    every `chunk_chars` characters. The pairs across these cuts, about one in `chunk_chars`, are not counted, so some
    merges differ from those of the whole text. `train_exact` needs no cuts.

    Memory grows with the number of distinct pieces, not with the length of the corpus. Ctrl-C while text is being read
    ends training and leaves the tokenizer unchanged; while merges are being learned it takes effect at the end.

    Args:
        tokenizer: gets new `merges` and `vocab`.
        texts: the corpus, as one text or as an iterable of texts, each read once. No pair crosses from one text to the
            next. Special tokens in a text are barriers.
        vocab_size: number of tokens in the end: 256 bytes, special tokens and learned merges.
        chunk_chars: length of the chunks in characters, for a tokenizer without a pattern.
        progress: True shows the bytes read so far, False nothing, None shows them in a terminal or notebook only.

    Raises:
        TypeError: `texts` is neither a str nor an iterable of str, or a number is not an int.
        ValueError: `vocab_size` is below `base_vocab_size`, `chunk_chars` below 1, or a text holds a lone surrogate.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(pattern="gpt2")
    >>> train_fast(tokenizer, ["low low low low low lower lower", "lowest"], 260)
    >>> [tokenizer.vocab[new_id] for new_id in tokenizer.merges.values()]
    [b'lo', b'low', b' low', b'er']
    """
    tokenizer._check_vocab_size(vocab_size)
    if isinstance(chunk_chars, bool) or not isinstance(chunk_chars, int):
        raise TypeError(f"chunk_chars is a number of characters, but it is {chunk_chars!r}.")
    if chunk_chars < 1:
        raise ValueError(f"chunk_chars={chunk_chars} is too small: a chunk has at least one character.")
    if isinstance(texts, (bytes, bytearray)) or not isinstance(texts, Iterable):
        raise TypeError(f"texts is a str or an iterable of str, but it is of type {type(texts).__name__}.")

    special = len(tokenizer.special_tokens)
    byte_of_id = {token_id: byte for byte, token_id in enumerate(tokenizer.byte_ids)}
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size - special,
        show_progress=False,
        # The trainer would number the alphabet by code point. Its special tokens come first, in the order given, so
        # this way bytes keep their IDs and ties are broken by them.
        special_tokens=[BYTE_TO_CHAR[byte_of_id[token_id]] for token_id in range(256)],
    )
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = _pre_tokenizer(tokenizer.pattern)
    total = len(texts.encode("utf-8", "surrogatepass")) if isinstance(texts, str) else None
    with byte_progress(progress, total=total, description="Reading") as bar, _panic_as_error():
        learner.train_from_iterator(_training_texts(tokenizer, texts, chunk_chars, bar), trainer)

    merges = json.loads(learner.to_str())["model"]["merges"]
    token_ids = learner.get_vocab()
    # The trainer has none of the course's special tokens, whose IDs are between the bytes and the merges.
    our_id = {spelling: rust_id if rust_id < 256 else rust_id + special for spelling, rust_id in token_ids.items()}
    tokenizer._forget()
    for left, right in merges:
        first, second, new_id = our_id[left], our_id[right], our_id[left + right]
        tokenizer.merges[first, second] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[first] + tokenizer.vocab[second]
    if tokenizer.vocab_size < vocab_size:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size, stacklevel=4)


def _training_texts(tokenizer: BPEBase, texts: str | Iterable[str], chunk_chars: int, bar: Reporter) -> Iterator[str]:
    """The parts of the corpus that the trainer gets: short, and without special tokens."""
    done = 0
    for number, text in enumerate([texts] if isinstance(texts, str) else texts, start=1):
        try:
            check_text(text)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Text {number} of the corpus: {error}") from None
        for part in split_at_special_tokens(text, tokenizer.special_tokens):
            if part in tokenizer.special_to_id:
                done += len(part)
                continue
            blocks: Iterable[str]
            if tokenizer.pattern is None:
                blocks = (part[begin : begin + chunk_chars] for begin in range(0, len(part), chunk_chars))
            else:
                blocks = _blocks_of_words(part, tokenizer.pattern, TRAINING_BLOCK)
            for block in blocks:
                yield block
                done += len(block.encode())
                bar.update(done)
    bar.note("Text read. Learning the merges; there is no progress report until this is done.")


def _pre_tokenizer(pattern: str | None) -> pre_tokenizers.PreTokenizer:
    """Split by the pattern, then write bytes as characters, exactly as tokenizer.json specifies."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if pattern is None:
        return byte_level
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])


@contextmanager
def _panic_as_error() -> Iterator[None]:
    """Turn a Rust panic, a BaseException that `except Exception` does not catch, into a ValueError."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError(
            f"The library tokenizers failed on this text ({str(error)[:200]}); "
            "cut the text into smaller parts, for instance at line ends."
        ) from None


# --- encoding ---------------------------------------------------------------------------------------------------------


def encode_fast(tokenizer: BPEBase, text: str) -> list[int]:
    """The IDs that `tokenizer.encode(text)` gives, for any text and any merges.

    The library treats merges that no training produces differently, for instance two that make the same bytes. With
    such a table this function runs the plain algorithm instead, which is slow but gives the same IDs.

    Raises:
        TypeError, ValueError: `text` is not a str, or contains a lone surrogate; and ValueError if the library cannot
            split the text by the pattern, which happens with millions of spaces under a custom pattern.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer(["<|end|>"])
    >>> _ = tokenizer.train_exact("the the the", 260)
    >>> encode_fast(tokenizer, "the the<|end|>")
    [259, 258, 256]
    """
    check_text(text)
    ids: list[int] = []
    for part in split_at_special_tokens(text, tokenizer.special_tokens):
        if part in tokenizer.special_to_id:
            ids.append(tokenizer.special_to_id[part])
        else:
            ids.extend(_encode_part(tokenizer, part))
    return ids


def encode_ordinary_fast(tokenizer: BPEBase, text: str) -> list[int]:
    """The IDs that `tokenizer.encode_ordinary(text)` gives: special tokens in `text` are plain characters.

    Raises: as `encode_fast`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> encode_ordinary_fast(BPETokenizer(["<|end|>"]), "<|end|>")
    [60, 124, 101, 110, 100, 124, 62]
    """
    check_text(text)
    return _encode_part(tokenizer, text)


def rust_tokenizer(tokenizer: BPEBase) -> Tokenizer:
    """This tokenizer as a `tokenizers.Tokenizer`, the one that tokenizer.json describes.

    It is built once and cached until merges, vocabulary, special tokens or pattern change. Do not modify it; make a
    copy with `tokenizers.Tokenizer.from_str(rust_tokenizer(tokenizer).to_str())`.

    Raises:
        ValueError: with these merges or this vocabulary, the library would give other IDs than `encode`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train_exact("the the the", 258)
    >>> rust_tokenizer(tokenizer).encode("the").tokens
    ['the']
    """
    vocab, special = tokenizer.vocab, tokenizer.special_to_id
    names = list(vocab), list(vocab.values()), list(special), list(special.values())
    state: _State = (*_encoding_state(tokenizer), *names)
    cached = _RUST_TOKENIZERS.get(tokenizer)
    if cached is None or cached[0] != state:
        spelling = _library_spellings(tokenizer)
        if spelling is None or any(
            vocab.get(token_id) != bytes(CHAR_TO_BYTE[char] for char in token) for token_id, token in spelling.items()
        ):
            raise ValueError("The merges and the vocabulary are inconsistent, or two merges make the same token.")
        cached = _RUST_TOKENIZERS[tokenizer] = (state, Tokenizer.from_str(json.dumps(to_hf_dict(tokenizer))))
    return cached[1]


def _encode_part(tokenizer: BPEBase, text: str) -> list[int]:
    """Encode a text, ignoring special tokens."""
    engine = _engine(tokenizer)
    if engine.encoder is None:
        return encode_plainly(tokenizer._without_special_tokens(), text)
    if len(text) > NUMPY_FROM and is_vectorized(tokenizer.pattern):
        encoder = engine.vectorized(tokenizer, tokenizer.pattern)
        return [token_id for block in _blocks_at_words(text.encode()) for token_id in encoder.encode(block).tolist()]
    if len(text) <= BLOCK:
        blocks = [text]
    elif tokenizer.pattern is None:
        blocks = _blocks_at_safe_cuts(text, engine.adjacency)
    else:
        blocks = list(_blocks_of_words(text, tokenizer.pattern, BLOCK))
    ids: list[int] = []
    with _panic_as_error():
        for begin in range(0, len(blocks), BLOCKS_AT_ONCE):
            batch = blocks[begin : begin + BLOCKS_AT_ONCE]
            if tokenizer.pattern is None and max(map(len, batch)) > NUMPY_FROM:
                merger = engine.merger(tokenizer)
                data = "".join(batch).encode()
                ids.extend(merger.merge_words(np.frombuffer(data, np.uint8), np.array([len(data)]))[0].tolist())
                continue
            for encoding in engine.encoder.encode_batch_fast(batch, add_special_tokens=False):
                ids.extend(encoding.ids)
    return ids


@dataclass
class _Engine:
    """The encoders for one table of merges.

    Attributes:
        state: the state of the tokenizer that it was made from; see `_encoding_state`.
        encoder: None if the library would give other IDs than the plain algorithm.
        adjacency: (256, 256) bool: which bytes are adjacent inside a token; see `byte_adjacency`.
    """

    state: _State
    encoder: Tokenizer | None
    adjacency: NDArray[np.bool_]
    _merger: Merger | None = None
    _vectorized: VectorizedEncoder | None = None

    def merger(self, tokenizer: BPEBase) -> Merger:
        """The merges in numpy, for single pieces that are too long for the library. Created on first use."""
        if self._merger is None:
            self._merger = Merger(_ranked(tokenizer), tokenizer.byte_ids)
        return self._merger

    def vectorized(self, tokenizer: BPEBase, pattern: str) -> VectorizedEncoder:
        """The same for text under the gpt2 and gpt4 patterns."""
        if self._vectorized is None:
            self._vectorized = VectorizedEncoder(_ranked(tokenizer), pattern, byte_ids=tokenizer.byte_ids)
        return self._vectorized


_ENGINES: "WeakKeyDictionary[BPEBase, _Engine]" = WeakKeyDictionary()
_RUST_TOKENIZERS: "WeakKeyDictionary[BPEBase, tuple[_State, Tokenizer]]" = WeakKeyDictionary()
"""Caches that live as long as the tokenizer. They are not attributes of the tokenizer, because its attributes are its
state, which is copied, pickled and compared."""


def _ranked(tokenizer: BPEBase) -> dict[tuple[int, int], int]:
    """The merges by rank. In the library the rank is the position in the list; in the course it is the ID."""
    return dict(sorted(tokenizer.merges.items(), key=itemgetter(1)))


def _encoding_state(tokenizer: BPEBase) -> _State:
    """A copy of all that the encoding of plain text depends on, to detect later changes.

    Comparing two such copies is fast: lists compare their entries by identity first.
    """
    merges = tokenizer.merges
    return list(merges), list(merges.values()), tokenizer.byte_ids, tokenizer.pattern


def _engine(tokenizer: BPEBase) -> _Engine:
    """The engine for the tokenizer in its current state: the cached one, or a new one if the state has changed."""
    state = _encoding_state(tokenizer)
    cached = _ENGINES.get(tokenizer)
    if cached is None or cached.state != state:
        # A copy of a tokenizer shares its engine.
        equal = next((engine for engine in _ENGINES.values() if engine.state == state), None)
        cached = _ENGINES[tokenizer] = equal or _build_engine(tokenizer, state)
    return cached


def _build_engine(tokenizer: BPEBase, state: _State) -> _Engine:
    spelling = _library_spellings(tokenizer)
    if spelling is None:
        return _Engine(state, None, byte_adjacency([]))
    merges = [(spelling[left], spelling[right]) for left, right in _ranked(tokenizer)]
    encoder = Tokenizer(models.BPE(vocab={token: token_id for token_id, token in spelling.items()}, merges=merges))
    encoder.pre_tokenizer = _pre_tokenizer(tokenizer.pattern)
    tokens = (bytes(map(CHAR_TO_BYTE.__getitem__, token)) for token in spelling.values())
    return _Engine(state, encoder, byte_adjacency(tokens))


def _library_spellings(tokenizer: BPEBase) -> dict[int, str] | None:
    """ID -> the token in the library's byte alphabet. None if the library would give other IDs than `encode`.

    The library identifies the token that a merge makes by its spelling, and replaces one pair at a time, while `encode`
    replaces all equal pairs. Both give the same IDs if each merge makes a new ID and a new spelling from tokens with
    lower IDs: then no replacement creates a pair of lower rank.
    """
    spelling = {tokenizer.byte_ids[byte]: char for byte, char in BYTE_TO_CHAR.items()}
    for (first, second), new_id in sorted(tokenizer.merges.items(), key=itemgetter(1)):
        if first not in spelling or second not in spelling or new_id in spelling or new_id < 0:
            return None
        spelling[new_id] = spelling[first] + spelling[second]
    return spelling if len(set(spelling.values())) == len(spelling) else None


def encode_plainly(tokenizer: BPEBase, text: str) -> list[int]:
    """The plain algorithm of `encode`, for tables that the library treats differently."""
    merges = tokenizer.merges
    ids: list[int] = []
    for piece in tokenizer._pieces(text):
        piece_ids = [piece] if isinstance(piece, int) else list(piece)
        while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in merges]:
            piece_ids = _replace(piece_ids, min(known, key=merges.__getitem__), merges)
        ids.extend(piece_ids)
    return ids


def _replace(ids: list[int], pair: tuple[int, int], merges: dict[tuple[int, int], int]) -> list[int]:
    replaced: list[int] = []
    position = 0
    while position < len(ids):
        found = tuple(ids[position : position + 2]) == pair
        replaced.append(merges[pair] if found else ids[position])
        position += 2 if found else 1
    return replaced


# --- where a text can be cut ------------------------------------------------------------------------------------------


_AFTER_A_WORD = re.compile("(?<=[A-Za-z])(?= )")


def _blocks_of_words(text: str, pattern: str, size: int) -> Iterator[str]:
    """Cut a text into blocks of `size` characters or more whose pieces, joined, are those of the whole text.

    Under gpt2 and gpt4 a text can be cut between a letter and a space. Neither pattern matches a letter followed by a
    space, so a piece ends there; a piece that ends in a letter does not depend on what follows, because the only
    look-ahead is after white space; and no piece depends on what precedes it. For other patterns no safe cuts are
    known, and the text is not cut.
    """
    begin = 0
    if pattern in PATTERNS.values():
        # The remainder joins the last block: many texts are that short.
        while len(text) - begin > 2 * size and (match := _AFTER_A_WORD.search(text, begin + size)):
            yield text[begin : match.start()]
            begin = match.start()
    if begin < len(text):
        yield text[begin:]


def _blocks_at_words(data: bytes) -> Iterator[bytes]:
    """Cut a text under gpt2 or gpt4 into blocks of about `WINDOW` bytes, where that changes no piece (`safe_cuts`)."""
    begin, search_from = 0, WINDOW
    while search_from < len(data):
        # Windows overlap, because cuts near the ends of a window can be missing.
        cuts = search_from + safe_cuts(data[search_from : search_from + (WINDOW >> 4)])
        if len(cuts):
            yield data[begin : cuts[0]]
            begin, search_from = int(cuts[0]), int(cuts[0]) + WINDOW
        else:
            search_from += (WINDOW >> 4) - 8
    yield data[begin:]


def _blocks_at_safe_cuts(text: str, adjacency: NDArray[np.bool_]) -> list[str]:
    """Cut a text without a pattern into blocks of about `BLOCK` bytes whose joined IDs are those of the whole text."""
    data = text.encode()
    # Windows overlap by one byte: a cut is between two bytes.
    windows = range(0, len(data), WINDOW)
    cuts = np.concatenate(
        [begin + cuts_between_tokens(data[begin : begin + WINDOW + 1], adjacency) for begin in windows]
    )
    first_of_block = np.flatnonzero(np.diff(cuts // BLOCK, prepend=-1))
    borders = [0, *cuts[first_of_block].tolist(), len(data)]
    return [data[begin:end].decode() for begin, end in zip(borders, borders[1:])]
