"""The given part of BPETokenizer: its state, its training loop, and splitting text into pieces.

    text --_pieces--> special-token IDs and bytes --encode--> token IDs --decode--> text

The five methods that merge, encode and decode are the exercise, in bpe.py. Nothing here needs to change.
"""

import copy
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count, filterfalse, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from g2c.common.errors import VocabularyNotReached
from g2c.common.progress import Progress, Reporter, shown_progress
from g2c.tokenizer.above import Methods
from g2c.tokenizer.checks import check_number, check_text, not_text
from g2c.tokenizer.patterns import PATTERNS, normalized, resolve_pattern, split_by_pattern
from g2c.tokenizer.special_tokens import (
    BYTE_IDS,
    COURSE_SPECIAL_TOKENS,
    MAX_TOKENS,
    special_token_ids,
    split_at_special_tokens,
)

Pair = tuple[int, int]
"""Two neighboring token IDs."""

BOUNDARY = -1
"""Separates two pieces in the IDs that `train` works on. It is not a token's ID, and no pair may contain it."""


class BPEBase(Methods):
    """A byte-level BPE tokenizer without the methods that students write. See `BPETokenizer`.

    Args:
        special_tokens: a list, which gets the IDs from 256 on, or a mapping token -> ID, for a published tokenizer.
        pattern: a name in `PATTERNS`, a regex, or None to keep text whole.

    Raises what `special_token_ids` and `resolve_pattern` raise.
    """

    if TYPE_CHECKING:
        # The methods of the exercise that this class calls.
        def train_step(self, ids: list[int], new_id: int) -> tuple[list[int], Pair, int] | None: ...
        def encode(self, text: str) -> list[int]: ...
        def decode(self, ids: Collection[int]) -> str: ...

    # Only published tokenizers change these three: the Unicode form into which a text is brought before it is encoded,
    # None or "NFC"; token -> ID for tokens that no merge makes, which a piece becomes only as a whole; and the special
    # tokens that other libraries show when they decode.
    normalization: str | None = None
    whole_pieces: Mapping[bytes, int] = MappingProxyType({})
    shown_tokens: frozenset[str] = frozenset()
    table: Any = None
    """The `g2c.formats.table.Table` that was read or learned. It holds until `merges` are asked for."""

    def __init__(self, special_tokens: Sequence[str] | Mapping[str, int] = (), pattern: str | None = None) -> None:
        self._number(special_tokens, BYTE_IDS)
        self.pattern = resolve_pattern(pattern)

    @classmethod
    def with_course_special_tokens(cls, pattern: str | None = None) -> Self:
        """Make a tokenizer with the IDs 256 to 263 for the course's special tokens, `COURSE_SPECIAL_TOKENS`."""
        return cls(special_tokens=COURSE_SPECIAL_TOKENS, pattern=pattern)

    def _number(self, special_tokens: Sequence[str] | Mapping[str, int], byte_ids: Sequence[int]) -> None:
        """Set the IDs of special tokens and of the 256 bytes, and return to the untrained state. In the course's own
        tokenizers, a byte's ID is its value; published ones may number bytes in any other way."""
        self._set_special_tokens(special_token_ids(special_tokens, byte_ids))
        # The type bytes is faster, if the IDs fit.
        self.byte_ids: bytes | tuple[int, ...] = bytes(byte_ids) if max(byte_ids) < 256 else tuple(byte_ids)
        self._reset()

    def _set_special_tokens(self, special_to_id: dict[str, int]) -> None:
        self.special_to_id = special_to_id
        self.special_tokens = tuple(special_to_id)
        self.id_to_special = {token_id: token for token, token_id in special_to_id.items()}
        self.special_token_ids = frozenset(self.id_to_special)

    def _reset(self) -> None:
        """Return to the untrained state: no merges, and a vocabulary of bytes and special tokens."""
        self.merges: dict[Pair, int] = {}
        self.vocab: dict[int, bytes] = {self.byte_ids[byte]: bytes([byte]) for byte in range(256)}
        self.vocab.update({token_id: token.encode() for token_id, token in self.id_to_special.items()})

    def set_merges(self, pairs: Iterable[Pair]) -> None:
        """Replace what was learned by merges of these pairs of IDs, in the order learned, and number them.

        Raises ValueError if an ID in a pair is neither a byte's nor made by a merge before it.

        >>> tokenizer = BPETokenizer()
        >>> tokenizer.set_merges([(116, 104), (256, 101)])
        >>> tokenizer.merges, tokenizer.vocab[257]
        ({(116, 104): 256, (256, 101): 257}, b'the')
        """
        merges: dict[Pair, int] = {}
        tokens = {self.byte_ids[byte]: bytes([byte]) for byte in range(256)}
        for (left, right), new_id in zip(pairs, self.merge_ids()):
            if not {left, right} <= tokens.keys():
                raise ValueError(
                    f"The pair {left, right} of merge {new_id} uses an ID that no byte or earlier merge has."
                )
            merges[left, right] = new_id
            tokens[new_id] = tokens[left] + tokens[right]
        self._reset()
        self.merges = merges
        self.vocab.update(tokens)

    def set_table(self, table: Any) -> None:
        """Become the tokenizer that a `g2c.formats.table.Table` describes. Its dictionaries are made when asked for."""
        self._number(table.special_to_id, table.ids[:256].tolist())
        self.pattern, self.normalization = table.pattern, table.normalization
        self.whole_pieces, self.shown_tokens = dict(table.whole), table.shown
        self.table = table
        del self.merges, self.vocab

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Make `merges` or `vocab` from the table when they are first asked for."""
            if name not in ("merges", "vocab") or self.table is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            value = vars(self)[name] = getattr(self.table, name)()
            return value

    @property
    def base_vocab_size(self) -> int:
        """The number of bytes and special tokens, which is the first merge's ID if special tokens follow the bytes."""
        return 256 + len(self.special_tokens)

    def merge_ids(self) -> Iterator[int]:
        """Return an endless iterator over the IDs for merges: those that no token has, after the bytes'."""
        others = self.special_token_ids.union(self.whole_pieces.values())
        return filterfalse(others.__contains__, count(max(self.byte_ids) + 1))

    @property
    def vocab_size(self) -> int:
        """The number of tokens: bytes, special tokens and learned merges."""
        return len(self.vocab)

    @property
    def num_merges(self) -> int:
        """The number of learned merges."""
        return len(self.merges) if "merges" in vars(self) else len(self.table.left)

    def __len__(self) -> int:
        return self.vocab_size

    def __repr__(self) -> str:
        pattern = next((repr(name) for name, regex in PATTERNS.items() if regex == self.pattern), repr(self.pattern))
        return (
            f"{type(self).__name__}(vocab_size={self.vocab_size}, merges={self.num_merges}, "
            f"special_tokens={len(self.special_tokens)}, pattern={pattern})"
        )

    # --- text to pieces -----------------------------------------------------------------------------------------------

    def _pieces(self, text: str) -> Iterator[int | Sequence[int]]:
        """Split `text` at special tokens and by the pattern, into the pieces that `encode` works on.

        Yields the ID, an int, for a special token (in published tokenizers, also for a piece in `whole_pieces`). Yields
        bytes, the ID of each of its UTF-8 bytes, for any other piece (a list, if a byte has an ID above 255). Raises
        TypeError if `text` is not a str, and ValueError for a lone surrogate, which UTF-8 cannot represent.

        >>> list(BPETokenizer(["<|end|>"], pattern="gpt2")._pieces("Hello world<|end|>"))
        [b'Hello', b' world', 256]
        """
        check_text(text)
        for part in split_at_special_tokens(text, self.special_tokens):
            if part in self.special_to_id:
                yield self.special_to_id[part]
            else:
                for piece in split_by_pattern(normalized(part, self.normalization), self.pattern):
                    data = piece.encode("utf-8")
                    if data in self.whole_pieces:
                        yield self.whole_pieces[data]
                    elif isinstance(self.byte_ids, bytes):
                        yield data.translate(self.byte_ids)
                    else:
                        yield [self.byte_ids[byte] for byte in data]

    def _training_ids(self, text: str | Iterable[str]) -> list[int]:
        """Return the IDs that training starts from, with BOUNDARY between two pieces.

        >>> BPETokenizer(pattern="gpt2")._training_ids("is it")
        [105, 115, -1, 32, 105, 116]
        >>> BPETokenizer()._training_ids(["is", "it"])
        [105, 115, -1, 105, 116]
        """
        ids: list[int] = []
        follows_bytes = False
        for piece in chain.from_iterable(map(self._pieces, each_text(text))):
            if isinstance(piece, int):
                ids.append(piece)
            else:
                ids.extend([BOUNDARY, *piece] if follows_bytes else piece)
            follows_bytes = not isinstance(piece, int)
        return ids

    # --- training -----------------------------------------------------------------------------------------------------

    def train(self, text: str | Iterable[str], vocab_size: int, *, progress: Progress = None) -> list[int]:
        """Learn merges from `text` until the vocabulary has `vocab_size` tokens. Earlier training is discarded.

        Calls your `train_step` once for each new token. If no pair is left before `vocab_size` is reached, training
        stops with a `VocabularyNotReached` warning. Ctrl-C keeps the merges learned so far.

        Args:
            text: the corpus: a text, or an iterable of texts. No pair crosses from one text to the next. Special tokens
                are kept whole and never merged.
            vocab_size: the number of tokens after training: 256 bytes, special tokens and learned merges.
            progress: True always shows a progress bar, False never, None only in a terminal or notebook. A function is
                called instead, with a `g2c.common.progress.ProgressReport` for each merge.

        Returns the IDs of the text, or of all texts in a row, after the last merge. Raises TypeError or ValueError if
        the text or the size is not valid, or if this is a published tokenizer, whose merges would be lost.

        >>> tokenizer = BPETokenizer()
        >>> tokenizer.train("the the the", 259)
        [258, 258, 257]
        >>> tokenizer.merges
        {(116, 104): 256, (256, 101): 257, (257, 32): 258}
        """
        self.check_training(vocab_size)
        ids = self._training_ids(text)
        boundaries = ids.count(BOUNDARY)
        self._reset()
        to_learn = vocab_size - self.base_vocab_size
        with self._learning(progress, to_learn) as bar:
            for done, new_id in enumerate(islice(self.merge_ids(), to_learn), start=1):
                step = self.train_step(ids, new_id)
                if step is None:
                    warn_vocabulary_not_reached(self.vocab_size, vocab_size)
                    break
                ids, pair, count = step
                bar.update(done, tokens=len(ids) - boundaries, newest=self.vocab[new_id], count=count)
        return [token_id for token_id in ids if token_id != BOUNDARY]

    def check_training(self, vocab_size: int) -> None:
        """Raise the errors of `train`, except for the text."""
        why = "the number of bytes and special tokens"
        check_number("vocab_size", vocab_size, at_least=self.base_vocab_size, why=why)
        if vocab_size > MAX_TOKENS:
            raise ValueError(f"vocab_size is above {MAX_TOKENS:,}, the largest number of tokens that can be saved.")
        if self.byte_ids != BYTE_IDS or self.special_token_ids != {*range(256, self.base_vocab_size)}:
            raise ValueError(
                "The bytes and special tokens have other IDs than 0, 1, 2 and so on, as in a published tokenizer, but "
                "training numbers merges from the ID after them. Create a new tokenizer with a list of these special "
                "tokens, and train that."
            )

    @contextmanager
    def _learning(self, progress: Progress, to_learn: int) -> Iterator[Reporter]:
        """Report the progress of training; after Ctrl-C, keep the merges learned so far and say so."""
        with shown_progress(progress, "Training", total=to_learn, unit="merges") as bar:
            try:
                yield bar
            except KeyboardInterrupt:
                # It may have come between the new entries of `merges` and `vocab`.
                self.merges = {pair: new_id for pair, new_id in self.merges.items() if new_id in self.vocab}
                known = {*self.byte_ids, *self.special_token_ids, *self.merges.values()}
                self.vocab = {token_id: token for token_id, token in self.vocab.items() if token_id in known}
                usable = f"Stopped after {len(self.merges)} merges. The tokenizer is complete up to there and usable."
                raise KeyboardInterrupt(usable) from None

    # --- encoding -----------------------------------------------------------------------------------------------------

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode with your `encode`, but treat special tokens in `text` as plain text.

        Use it for text from strangers: none can produce a special token's ID.

        >>> BPETokenizer(["<|end|>"]).encode_ordinary("<|end|>")
        [60, 124, 101, 110, 100, 124, 62]
        """
        _ = self.merges, self.vocab  # If they follow from a table, they are made now, not for every copy.
        plain = copy.copy(self)
        plain._set_special_tokens({})
        return plain.encode(text)


def each_text(text: str | Iterable[str]) -> Iterable[str]:
    """Return the texts of a corpus, which is a text or an iterable of texts. Raises TypeError for anything else."""
    if isinstance(text, str):
        return [text]
    if isinstance(text, (bytes, bytearray)) or not isinstance(text, Iterable):
        raise not_text("The text must be a str or an iterable of str", text)
    return text


def warn_vocabulary_not_reached(reached: int, wanted: int) -> None:
    """Warn that the corpus is too small, at the line that calls the caller of this function."""
    warnings.warn(
        f"The corpus is too small: the vocabulary has {reached} tokens, not the {wanted} requested. "
        "The tokenizer is usable; a larger corpus gives more tokens.",
        VocabularyNotReached,
        stacklevel=3,
    )
