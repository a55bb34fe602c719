"""The given part of BPETokenizer: its state, its training loop, and splitting text into pieces.

    text --_pieces--> special-token IDs and bytes --encode--> token IDs --decode--> text

The five methods that merge, encode and decode are the exercise, in bpe.py. Nothing here needs to change.
"""

import copy
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Self

from g2c.common.errors import VocabularyNotReached
from g2c.common.progress import training_progress
from g2c.tokenizer.forwarding import Forwarding
from g2c.tokenizer.patterns import PATTERNS, resolve_pattern, split_by_pattern
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS, special_token_ids, split_at_special_tokens

Pair = tuple[int, int]
"""Two neighboring token IDs."""

BOUNDARY = -1
"""Separates two pieces in the IDs that `train` works on. It is not a token's ID, and no pair may contain it."""


class BPEBase(Forwarding):
    """The state and the given methods of every byte-level BPE tokenizer of the course. See `BPETokenizer`.

    Args:
        special_tokens: a list, which gets the IDs from 256 on, or a mapping token -> ID, for published tokenizers whose
            special tokens have other IDs.
        pattern: a name in `PATTERNS`, a regex, or None to keep text whole.

    Raises:
        TypeError, ValueError: see `special_token_ids` and `resolve_pattern`.
    """

    if TYPE_CHECKING:
        # The methods of the exercise that the given ones call.
        def train_step(self, ids: list[int], new_id: int) -> tuple[list[int], Pair, int] | None: ...
        def encode(self, text: str) -> list[int]: ...
        def decode(self, ids: Iterable[int]) -> str: ...

    def __init__(self, special_tokens: Sequence[str] | Mapping[str, int] = (), pattern: str | None = None) -> None:
        self.special_to_id = special_token_ids(special_tokens)
        self.special_tokens = tuple(self.special_to_id)
        self.id_to_special = {token_id: token for token, token_id in self.special_to_id.items()}
        self.special_token_ids = frozenset(self.id_to_special)
        self.pattern = resolve_pattern(pattern)
        # byte -> its ID. Here they are equal; published tokenizers may number the bytes in another order.
        self.byte_ids = bytes(range(256))
        self._forget()

    @classmethod
    def with_course_special_tokens(cls, pattern: str | None = None) -> Self:
        """A tokenizer that reserves the IDs 256 to 263 for the course's special tokens (`COURSE_SPECIAL_TOKENS`)."""
        return cls(special_tokens=COURSE_SPECIAL_TOKENS, pattern=pattern)

    def _forget(self) -> None:
        """Return to the untrained state: no merges, and a vocabulary of the 256 bytes and the special tokens."""
        self.merges: dict[Pair, int] = {}
        self.vocab: dict[int, bytes] = {self.byte_ids[byte]: bytes([byte]) for byte in range(256)}
        self.vocab.update({token_id: token.encode() for token_id, token in self.id_to_special.items()})

    @property
    def base_vocab_size(self) -> int:
        """256 plus the number of special tokens. If their IDs follow the bytes, this is the ID of the first merge."""
        return 256 + len(self.special_tokens)

    def merge_ids(self) -> Iterator[int]:
        """An infinite iterator over the IDs of merges, in the order learned: 256, 257, ... without special-token IDs.

        >>> from itertools import islice
        >>> from g2c.tokenizer import BPETokenizer
        >>> list(islice(BPETokenizer(["<|end|>"]).merge_ids(), 3))
        [257, 258, 259]
        >>> list(islice(BPETokenizer({"<|end|>": 257}).merge_ids(), 3))
        [256, 258, 259]
        """
        return (token_id for token_id in count(256) if token_id not in self.special_token_ids)

    @property
    def vocab_size(self) -> int:
        """Number of tokens: bytes, special tokens and learned merges."""
        return len(self.vocab)

    def __repr__(self) -> str:
        pattern = next((repr(name) for name, regex in PATTERNS.items() if regex == self.pattern), repr(self.pattern))
        return (
            f"{type(self).__name__}(vocab_size={self.vocab_size}, merges={len(self.merges)}, "
            f"special_tokens={len(self.special_tokens)}, pattern={pattern})"
        )

    # --- text to pieces -----------------------------------------------------------------------------------------------

    def _pieces(self, text: str) -> Iterator[int | bytes]:
        """Split `text` at special tokens and by the pattern, into the pieces that `encode` works on.

        Yields:
            an int, its ID, for each special token; bytes for every other piece: the ID of each of its UTF-8 bytes.

        Raises:
            TypeError: `text` is not a str.
            ValueError: `text` contains a lone surrogate, which UTF-8 cannot represent.

        >>> from g2c.tokenizer import BPETokenizer
        >>> list(BPETokenizer(["<|end|>"], pattern="gpt2")._pieces("Hello world<|end|>"))
        [b'Hello', b' world', 256]
        """
        check_text(text)
        for part in split_at_special_tokens(text, self.special_tokens):
            if part in self.special_to_id:
                yield self.special_to_id[part]
            else:
                for piece in split_by_pattern(part, self.pattern):
                    yield piece.encode("utf-8").translate(self.byte_ids)

    def _training_ids(self, text: str) -> list[int]:
        """The IDs that training starts from: bytes and special-token IDs, with BOUNDARY between two pieces.

        >>> from g2c.tokenizer import BPETokenizer
        >>> BPETokenizer(pattern="gpt2")._training_ids("is it")
        [105, 115, -1, 32, 105, 116]
        """
        ids: list[int] = []
        follows_bytes = False
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                follows_bytes = False
            else:
                if follows_bytes:
                    ids.append(BOUNDARY)
                ids.extend(piece)
                follows_bytes = True
        return ids

    # --- training -----------------------------------------------------------------------------------------------------

    def train(self, text: str, vocab_size: int, *, progress: bool | None = None) -> list[int]:
        """Learn merges from `text` until the vocabulary has `vocab_size` tokens. Earlier training is discarded.

        Calls your `train_step` once for each new token. If no pair is left before `vocab_size` is reached, training
        stops with a `VocabularyNotReached` warning. Ctrl-C keeps the merges learned so far.

        Args:
            text: the corpus. Special tokens in it are kept whole and never merged.
            vocab_size: the number of tokens after training: 256 bytes, special tokens and learned merges.
            progress: True always shows a progress bar, False never, None only in a terminal or notebook.

        Returns:
            the IDs of `text` after the last merge.

        Raises:
            TypeError: `text` is not a str, or `vocab_size` is not an int.
            ValueError: `vocab_size` is below `base_vocab_size`, `text` contains a lone surrogate, or the IDs of the
                special tokens do not follow the bytes, as in a published tokenizer.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer()
        >>> tokenizer.train("the the the", 259)
        [258, 258, 257]
        >>> tokenizer.merges
        {(116, 104): 256, (256, 101): 257, (257, 32): 258}
        """
        self._check_vocab_size(vocab_size)
        ids = self._training_ids(text)
        boundaries = ids.count(BOUNDARY)
        self._forget()
        first_id = self.base_vocab_size
        with training_progress(progress, total=vocab_size - first_id) as bar:
            try:
                for new_id in range(first_id, vocab_size):
                    step = self.train_step(ids, new_id)
                    if step is None:
                        warn_vocabulary_not_reached(self.vocab_size, vocab_size)
                        break
                    ids, pair, count = step
                    tokens = len(ids) - boundaries
                    bar.update(new_id - first_id + 1, tokens=tokens, newest=self.vocab[new_id], count=count)
            except KeyboardInterrupt:
                self._drop_unfinished_merge()
                bar.note(f"Stopped after {len(self.merges)} merges. The tokenizer is complete up to there and usable.")
                raise
        return [token_id for token_id in ids if token_id != BOUNDARY]

    def _check_vocab_size(self, vocab_size: int) -> None:
        if isinstance(vocab_size, bool) or not hasattr(vocab_size, "__index__"):
            raise TypeError(f"vocab_size must be an integer, but it is {vocab_size!r}.")
        if vocab_size < self.base_vocab_size:
            special = f"{len(self.special_tokens)} special token" + ("" if len(self.special_tokens) == 1 else "s")
            raise ValueError(
                f"vocab_size={vocab_size} is too small: the 256 bytes and {special} already make "
                f"{self.base_vocab_size}. Ask for at least {self.base_vocab_size}."
            )
        if next(self.merge_ids()) != self.base_vocab_size:
            raise ValueError(
                f"The special tokens have the IDs {sorted(self.special_token_ids)}, as in a published tokenizer, but "
                "training needs special tokens whose IDs follow the bytes. Create the tokenizer with a list of special "
                "tokens."
            )

    def _drop_unfinished_merge(self) -> None:
        """Remove a merge without bytes, or bytes without a merge: Ctrl-C can interrupt `train_step` between the two."""
        self.merges = {pair: new_id for pair, new_id in self.merges.items() if new_id in self.vocab}
        learned = set(self.merges.values())
        self.vocab = {
            token_id: token
            for token_id, token in self.vocab.items()
            if token_id < self.base_vocab_size or token_id in learned
        }

    # --- encoding -----------------------------------------------------------------------------------------------------

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode with your `encode`, but treat special tokens in `text` as plain text.

        Use it for text from untrusted sources: no text can produce a special token's ID.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer(["<|end|>"])
        >>> tokenizer.encode("<|end|>")
        [256]
        >>> tokenizer.encode_ordinary("<|end|>")
        [60, 124, 101, 110, 100, 124, 62]
        """
        return self._without_special_tokens().encode(text)

    def _without_special_tokens(self) -> Self:
        """A copy with the same merges, but without special tokens that `encode` could find."""
        plain = copy.copy(self)
        plain.special_tokens = ()
        plain.special_to_id = {}
        plain.id_to_special = {}
        plain.special_token_ids = frozenset()
        return plain


def check_text(text: str) -> None:
    """Raise an error for what cannot be encoded as UTF-8: TypeError if not a str, ValueError for a lone surrogate."""
    if not isinstance(text, str):
        hint = " Decode bytes first: data.decode('utf-8')." if isinstance(text, bytes) else ""
        raise TypeError(f"The text to encode must be a str, but it is of type {type(text).__name__}.{hint}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The text contains a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start}, "
            "which UTF-8 cannot represent. Remove it, or read the file with errors='replace'."
        ) from None


def warn_vocabulary_not_reached(reached: int, wanted: int, *, stacklevel: int = 3) -> None:
    """Warn that training ran out of pairs. `stacklevel` counts the calls from here up to the caller of the training."""
    warnings.warn(
        f"The corpus has no pair left to merge: the vocabulary has {reached} tokens, not the {wanted} requested. "
        "The tokenizer is usable; a larger corpus gives more merges.",
        VocabularyNotReached,
        stacklevel=stacklevel,
    )
