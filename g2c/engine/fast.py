"""Training and encoding with the Rust library `tokenizers` (Hugging Face), in the IDs of the course.

The library's trainer and encoder run the same algorithm as yours. This module adds what makes the results equal: the
bytes keep their IDs, special tokens are barriers, and what goes in and comes out is our `merges` and `vocab`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from weakref import WeakKeyDictionary

import numpy as np
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from g2c.common.progress import Reporter, byte_progress
from g2c.engine.splitting import is_vectorized, safe_cuts
from g2c.engine.vectorized import Merger, VectorizedEncoder
from g2c.formats.hf_format import BYTE_TO_CHAR, CHAR_TO_BYTE, to_hf_dict
from g2c.tokenizer.base import BPEBase, check_text, warn_vocabulary_not_reached
from g2c.tokenizer.patterns import PATTERNS
from g2c.tokenizer.special_tokens import split_at_special_tokens

BLOCK = 2000
"""About how many characters the encoder gets at a time, where a text can be cut without changing its tokens."""

TRAINING_BLOCK = 8000
"""The same for the trainer, which takes texts one by one: with longer ones there is less waiting for the next."""

BLOCKS_AT_ONCE = 512
"""How many blocks the library encodes, on all cores, before their IDs are taken over and its own memory is freed."""

NUMPY_FROM = 1 << 16
"""From how many characters on text is encoded in numpy, which takes less time and memory for long pieces."""

WINDOW = 1 << 20
"""Bytes that are looked through for cuts in one step."""


# --- training ---------------------------------------------------------------------------------------------------------


def train_fast(
    tokenizer: BPEBase,
    texts: str | Iterable[str],
    vocab_size: int,
    *,
    chunk_chars: int = 1000,
    progress: bool | None = None,
) -> None:
    """Learn merges with the trainer of `tokenizers`. Earlier training is forgotten, once the new merges are there.

    Among equally frequent pairs the one with the lowest (first ID, second ID) is merged, where `train` takes the one
    seen first. With a pattern that is the only difference: `train_exact(..., ties="lowest-id")` gives the same merges.

    Without a pattern there is another. The trainer treats a piece of text as one word and walks through the whole word
    for each merge in it, so a corpus in one piece takes minutes for each megabyte. Text is therefore cut after every
    `chunk_chars` characters. The pairs that these cuts separate are not counted, about one in `chunk_chars`, so that
    some merges differ from those of the text in one piece. `train_exact` needs no cuts.

    Memory grows with the number of different pieces, not with the length of the corpus. Ctrl-C while text is being read
    ends training and leaves the tokenizer as it was; while merges are being learned it takes effect at the end.

    Args:
        tokenizer: gets new `merges` and `vocab`.
        texts: the corpus, as one text or as an iterable of texts, each read once. No pair reaches from one text into
            the next. Special tokens in a text are barriers.
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
        # The trainer would number the alphabet by code point. Its special tokens come first, in the order given: so the
        # bytes keep our IDs, and ties fall as they should.
        special_tokens=[BYTE_TO_CHAR[byte_of_id[token_id]] for token_id in range(256)],
    )
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = _pre_tokenizer(tokenizer.pattern)
    total = len(texts.encode("utf-8", "surrogatepass")) if isinstance(texts, str) else None
    with byte_progress(progress, total=total, description="Reading") as bar, _panic_as_error():
        learner.train_from_iterator(_training_texts(tokenizer, texts, chunk_chars, bar), trainer)

    merges = json.loads(learner.to_str())["model"]["merges"]
    token_ids = learner.get_vocab()
    # The trainer knows nothing of our special tokens, whose IDs stand between the bytes and the merges.
    our_id = {spelling: rust_id if rust_id < 256 else rust_id + special for spelling, rust_id in token_ids.items()}
    tokenizer._forget()
    for left, right in merges:
        first, second, new_id = our_id[left], our_id[right], our_id[left + right]
        tokenizer.merges[first, second] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[first] + tokenizer.vocab[second]
    if tokenizer.vocab_size < vocab_size:
        warn_vocabulary_not_reached(tokenizer.vocab_size, vocab_size, stacklevel=4)


def _training_texts(tokenizer: BPEBase, texts: str | Iterable[str], chunk_chars: int, bar: Reporter) -> Iterator[str]:
    """The corpus in the parts that the trainer gets: without special tokens, and none of them long."""
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
            if tokenizer.pattern is None:
                blocks = (part[begin : begin + chunk_chars] for begin in range(0, len(part), chunk_chars))
            else:
                blocks = _blocks_of_words(part, tokenizer.pattern, TRAINING_BLOCK)
            for block in blocks:
                yield block
                done += len(block.encode())
                bar.update(done)
    bar.note("The text is read. Learning the merges; this part reports nothing until it is done.")


def _pre_tokenizer(pattern: str | None) -> pre_tokenizers.PreTokenizer:
    """Split by the pattern, then spell bytes as characters: what tokenizer.json says, too."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if pattern is None:
        return byte_level
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])


@contextmanager
def _panic_as_error() -> Iterator[None]:
    """A panic in Rust is a BaseException, which `except Exception` lets through: make it a ValueError."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError(
            f"The library tokenizers gave up on this text ({str(error)[:200]}); "
            "cut the text into smaller parts, for instance at line ends."
        ) from None


# --- encoding ---------------------------------------------------------------------------------------------------------


def encode_fast(tokenizer: BPEBase, text: str) -> list[int]:
    """The IDs that `tokenizer.encode(text)` gives, for any text and any merges.

    Merges that no training could give, such as two that make the same bytes, mean something else to the library. With
    such a table this function runs the plain algorithm instead: slow, but equal.

    Raises:
        TypeError, ValueError: `text` is not a str, or holds a lone surrogate; and ValueError for a text that the
            library cannot split by the pattern, which happens with millions of spaces under a pattern of your own.

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

    It is built once and kept until merges, vocabulary, special tokens or pattern change. Do not change it: make your
    own with `tokenizers.Tokenizer.from_str(rust_tokenizer(tokenizer).to_str())`.

    Raises:
        ValueError: merges or vocabulary are such that the library would give other IDs than `encode`.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train_exact("the the the", 258)
    >>> rust_tokenizer(tokenizer).encode("the").tokens
    ['the']
    """
    vocab, special = tokenizer.vocab, tokenizer.special_to_id
    state = (*_table(tokenizer), list(vocab), list(vocab.values()), list(special), list(special.values()))
    kept = _RUST_TOKENIZERS.get(tokenizer)
    if kept is None or kept[0] != state:
        spelling = _spellings(tokenizer)
        if spelling is None or any(
            vocab.get(token_id) != bytes(CHAR_TO_BYTE[char] for char in token) for token_id, token in spelling.items()
        ):
            raise ValueError("The merges and the vocabulary do not fit together, or two merges make the same token.")
        kept = _RUST_TOKENIZERS[tokenizer] = (state, Tokenizer.from_str(json.dumps(to_hf_dict(tokenizer))))
    return kept[1]


def _encode_part(tokenizer: BPEBase, text: str) -> list[int]:
    """Encode a text in which nothing counts as a special token."""
    engine = _engine(tokenizer)
    if engine.encoder is None:
        return encode_plainly(tokenizer._without_special_tokens(), text)
    if len(text) > NUMPY_FROM and is_vectorized(tokenizer.pattern):
        encoder = engine.vectorized(tokenizer)
        return [token_id for block in _blocks_at_words(text.encode()) for token_id in encoder.encode(block).tolist()]
    if len(text) <= BLOCK:
        blocks = [text]
    elif tokenizer.pattern is None:
        blocks = _blocks_at_safe_cuts(text, engine.together)
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
    """What `_encode_part` needs, made from one table of merges.

    Attributes:
        table: the table that it was made from; see `_table`.
        encoder: None: the library would give other IDs than the plain algorithm.
        together: (256, 256) bool: whether two bytes stand next to each other inside any token.
    """

    table: tuple
    encoder: Tokenizer | None
    together: np.ndarray | None
    _merger: Merger | None = None
    _vectorized: VectorizedEncoder | None = None

    def merger(self, tokenizer: BPEBase) -> Merger:
        """The merges in numpy, for text in one piece that is too long for the library. Made when first needed."""
        if self._merger is None:
            self._merger = Merger(_ranked(tokenizer), tokenizer.byte_ids)
        return self._merger

    def vectorized(self, tokenizer: BPEBase) -> VectorizedEncoder:
        """The same for text under the gpt2 and gpt4 patterns."""
        if self._vectorized is None:
            self._vectorized = VectorizedEncoder(_ranked(tokenizer), tokenizer.pattern, byte_ids=tokenizer.byte_ids)
        return self._vectorized


_ENGINES: "WeakKeyDictionary[BPEBase, _Engine]" = WeakKeyDictionary()
_RUST_TOKENIZERS: "WeakKeyDictionary[BPEBase, tuple]" = WeakKeyDictionary()
"""What was built for a tokenizer, kept as long as the tokenizer is. Beside it and not in it: a tokenizer's attributes
are its state, which is copied, pickled, and compared."""


def _ranked(tokenizer: BPEBase) -> dict[tuple[int, int], int]:
    """The merges by rank. The library takes a merge's place in the list for its rank; ours is its ID."""
    return dict(sorted(tokenizer.merges.items(), key=itemgetter(1)))


def _table(tokenizer: BPEBase) -> tuple:
    """All that the encoding of plain text depends on, as a copy that notices later changes.

    Comparing two such copies is quick: lists compare their entries by identity first.
    """
    merges = tokenizer.merges
    return list(merges), list(merges.values()), tokenizer.byte_ids, tokenizer.pattern


def _engine(tokenizer: BPEBase) -> _Engine:
    """The engine for the tokenizer as it is now: the one kept with it, or a new one when its table has changed."""
    table = _table(tokenizer)
    kept = _ENGINES.get(tokenizer)
    if kept is None or kept.table != table:
        # A copy of a tokenizer shares its engine.
        alike = next((engine for engine in _ENGINES.values() if engine.table == table), None)
        kept = _ENGINES[tokenizer] = alike or _build_engine(tokenizer, table)
    return kept


def _build_engine(tokenizer: BPEBase, table: tuple) -> _Engine:
    spelling = _spellings(tokenizer)
    if spelling is None:
        return _Engine(table, None, None)
    merges = [(spelling[left], spelling[right]) for left, right in _ranked(tokenizer)]
    encoder = Tokenizer(models.BPE(vocab={token: token_id for token_id, token in spelling.items()}, merges=merges))
    encoder.pre_tokenizer = _pre_tokenizer(tokenizer.pattern)
    together = np.zeros((256, 256), bool)
    for left, right in merges:
        together[CHAR_TO_BYTE[left[-1]], CHAR_TO_BYTE[right[0]]] = True
    return _Engine(table, encoder, together)


def _spellings(tokenizer: BPEBase) -> dict[int, str] | None:
    """ID -> the token in the library's byte alphabet. None when the library would encode otherwise than `encode`.

    The library finds the token that a merge makes by its spelling, and replaces one pair at a time where `encode`
    replaces all equal pairs. Both come to the same when each merge makes an ID and a spelling of its own, from tokens
    with lower IDs: then no replacement can bring up a pair that should have come before it.
    """
    spelling = {tokenizer.byte_ids[byte]: char for byte, char in BYTE_TO_CHAR.items()}
    for (first, second), new_id in sorted(tokenizer.merges.items(), key=itemgetter(1)):
        if first not in spelling or second not in spelling or new_id in spelling or new_id < 0:
            return None
        spelling[new_id] = spelling[first] + spelling[second]
    return spelling if len(set(spelling.values())) == len(spelling) else None


def encode_plainly(tokenizer: BPEBase, text: str) -> list[int]:
    """The algorithm of `encode`, word for word, for tables that the library reads otherwise."""
    merges = tokenizer.merges
    ids: list[int] = []
    for piece in tokenizer._pieces(text):
        piece_ids = list(piece)
        while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in merges]:
            piece_ids = _replace(piece_ids, min(known, key=merges.get), merges)
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
    """Cut a text into blocks of `size` characters and more whose pieces, joined, are those of the whole text.

    Under gpt2 and gpt4 a text can be cut between a letter and a space. Nothing in either pattern matches a letter and
    then a space, so a piece ends there; a piece that ends in a letter does not depend on what follows, since the only
    look ahead is after white space; and no piece depends on what came before it. Of other patterns nothing is known:
    under those the text stays whole.
    """
    begin = 0
    if pattern in PATTERNS.values():
        # What is left at the end goes with the last block: texts are often as short as that.
        while len(text) - begin > 2 * size and (match := _AFTER_A_WORD.search(text, begin + size)):
            yield text[begin : match.start()]
            begin = match.start()
    if begin < len(text):
        yield text[begin:]


def _blocks_at_words(data: bytes) -> Iterator[bytes]:
    """Cut a text under gpt2 or gpt4 into blocks of some `WINDOW` bytes, where that changes no piece (`safe_cuts`)."""
    begin, search_from = 0, WINDOW
    while search_from < len(data):
        # Windows overlap: near the ends of one, a cut can be missing.
        cuts = search_from + safe_cuts(data[search_from : search_from + (WINDOW >> 4)])
        if len(cuts):
            yield data[begin : cuts[0]]
            begin, search_from = int(cuts[0]), int(cuts[0]) + WINDOW
        else:
            search_from += (WINDOW >> 4) - 8
    yield data[begin:]


def _blocks_at_safe_cuts(text: str, together: np.ndarray) -> list[str]:
    """Cut a text without pattern into blocks of about `BLOCK` bytes whose IDs, joined, are those of the whole text.

    A cut is safe between two bytes that stand next to each other inside no token (`together` is False for them): no
    merge ever joins what is left of the cut with what is right of it, so the two sides do not know of each other. In
    English there is such a place every ten to a hundred bytes, even with thousands of merges.
    """
    data = text.encode()
    code = np.frombuffer(data, np.uint8)
    is_safe = np.empty(len(code) - 1, bool)
    for begin in range(0, len(is_safe), WINDOW):
        left, right = code[begin : begin + WINDOW], code[begin + 1 : begin + 1 + WINDOW]
        begins_character = (right & 0b1100_0000) != 0b1000_0000
        is_safe[begin : begin + WINDOW] = begins_character & ~together[left[: len(right)], right]
    cuts = np.flatnonzero(is_safe) + 1
    first_of_block = np.flatnonzero(np.diff(cuts // BLOCK, prepend=-1))
    borders = [0, *cuts[first_of_block].tolist(), len(data)]
    return [data[begin:end].decode() for begin, end in zip(borders, borders[1:])]
