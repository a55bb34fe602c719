"""A tokenizer as a frozen table: everything that determines its IDs, read once and checked.

Tokens are numbered as symbols here: byte b is symbol b, and the merge of rank k makes symbol 256 + k. So symbols are
in the order of ranks, whatever the tokenizer's IDs are:

    merges   {(116, 104): 264, (264, 101): 265}        symbol    101   104   116   256   257
    left     116  256                                  ID        101   104   116   264   265
    right    104  101                                  bytes     e     h     t     th    the

`Table.of(tokenizer)` is the only place that reads a tokenizer's merges, which anybody may edit. Saving, loading and
encoding work on the table.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import index
from reprlib import repr
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import UnsupportedTokenizer
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.patterns import Pattern, resolve_pattern
from g2c.tokenizer.special_tokens import ID_LIMIT, MAX_TOKENS, spelled_like_bytes

Tokenizer = TypeVar("Tokenizer", bound=BPEBase)

BYTE_TOKENS = [bytes([byte]) for byte in range(256)]
"""The token of each byte. The number of bytes, 256, is the symbol of the first merge."""


@dataclass(frozen=True, eq=False)
class Table:
    """Everything that determines the IDs of a text. Two tables are equal only if they are the same object.

    Attributes:
        left, right: the symbols that each merge joins, in the order learned.
        ids: symbol -> token ID, so the first 256 are the IDs of the bytes.
        pattern, special_to_id, normalization, shown: as in the tokenizer, where `shown` is called `shown_tokens`.
        whole: the tokens that no merge makes, with their IDs. A piece becomes such a token only as a whole.
        is_right: whether `check` has found nothing wrong.
        file: the tokenizer.json from which it was read, if it would be written just so.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    ids: NDArray[np.int64]
    pattern: Pattern | None = None
    special_to_id: Mapping[str, int] = field(default_factory=dict)
    whole: Mapping[bytes, int] = field(default_factory=dict)
    normalization: str | None = None
    shown: frozenset[str] = frozenset()
    is_right: bool = field(default=False, init=False)
    file: bytes | None = field(default=None, init=False)

    # --- from a tokenizer, and back -----------------------------------------------------------------------------------

    @classmethod
    def of(cls, tokenizer: BPEBase) -> "Table":
        """Return the table of a tokenizer as it is now. It is the last one if nothing has changed since.

        A tokenizer that was read from a file, or trained by the engine, has its table until its merges are asked for.
        From then on they may have been edited, so they are compared, which takes 0.1 ms for 8,000 merges.

        Raises UnsupportedTokenizer if the new IDs do not increase, or a merge joins an ID without a token; ValueError
        if an entry of `merges` is not (int, int): int; and TypeError if this is no tokenizer.
        """
        if not isinstance(tokenizer, BPEBase):
            raise TypeError(f"The tokenizer should be a BPETokenizer, but it is of type {type(tokenizer).__name__}.")
        pattern, special, whole = tokenizer.pattern, tokenizer.special_to_id, tokenizer.whole_pieces
        settings = tokenizer.byte_ids, pattern, special, whole, tokenizer.normalization, tokenizer.shown_tokens
        table: Table | None = tokenizer.table
        if "merges" not in vars(tokenizer) and table is not None and table.settings == settings:
            return table
        # Comparing two such lists is fast, because they compare their entries by identity first.
        learned = list(tokenizer.merges), list(tokenizer.merges.values())
        if table is None or table.learned != learned or table.settings != settings:
            left, right = symbols_of(tokenizer.merges, tokenizer.byte_ids)
            ids = np.array([*tokenizer.byte_ids, *learned[1]], np.int64)
            table = tokenizer.table = cls(left, right, ids, pattern, dict(special), dict(whole), *settings[4:])
            vars(table)["learned"] = learned
        return table

    @classmethod
    def checked(cls, tokenizer: BPEBase) -> "Table":
        """Return the table of a tokenizer. Raises what `of` and `check` raise, and ValueError, which says where, if the
        tokenizer's whole state does not follow from it."""
        table = cls.of(tokenizer)
        right = table.tokenizer(BPEBase)
        right.pattern = resolve_pattern(tokenizer.pattern)
        for name in ("special_tokens", "special_to_id", "id_to_special", "special_token_ids", "pattern", "byte_ids"):
            found, expected = getattr(tokenizer, name), getattr(right, name)
            if found != expected:
                raise ValueError(f"{name} is {repr(found)}, but it should be {repr(expected)}.")
        table.check()
        if "vocab" in vars(tokenizer) and tokenizer.vocab != right.vocab:
            found, expected = tokenizer.vocab.get, right.vocab.get
            wrong = next(i for i in [*right.vocab, *tokenizer.vocab] if found(i) != expected(i))
            raise ValueError(f"vocab.get({wrong!r}) is {repr(found(wrong))}, but it should be {repr(expected(wrong))}.")
        return table

    def tokenizer(self, cls: type[Tokenizer]) -> Tokenizer:
        """Make a tokenizer of a class with this table."""
        tokenizer = cls()
        tokenizer.set_table(self)
        return tokenizer

    # --- what follows from the attributes -----------------------------------------------------------------------------

    @cached_property
    def byte_ids(self) -> bytes | tuple[int, ...]:
        """The ID of each byte, as in the tokenizer."""
        ids = self.ids[:256].tolist()
        return bytes(ids) if max(ids) < 256 else tuple(ids)

    @cached_property
    def settings(self) -> tuple[Any, ...]:
        """Everything besides the merges."""
        return self.byte_ids, self.pattern, self.special_to_id, self.whole, self.normalization, self.shown

    @cached_property
    def learned(self) -> tuple[list[Pair], list[int]]:
        """The pairs of IDs that merges join, and the IDs that they make, in the order learned."""
        return list(zip(self.ids[self.left].tolist(), self.ids[self.right].tolist())), self.ids[256:].tolist()

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each symbol."""
        tokens = [*BYTE_TOKENS, *[b""] * len(self.left)]
        waiting = dict(enumerate(zip(self.left.tolist(), self.right.tolist()), start=256))
        while waiting:
            for symbol, (left, right) in waiting.items():
                if tokens[left] and tokens[right]:
                    tokens[symbol] = tokens[left] + tokens[right]
            # In Llama 3, a few merges join a token that a later merge makes.
            waiting = {symbol: pair for symbol, pair in waiting.items() if not tokens[symbol]}
        return tokens

    def merges(self) -> dict[Pair, int]:
        """Make the tokenizer's `merges`: pair of IDs -> ID, in the order learned."""
        return dict(zip(*self.learned))

    def vocab(self) -> dict[int, bytes]:
        """Make the tokenizer's `vocab`: ID -> token. First come the bytes, then special tokens."""
        ids = self.ids.tolist()
        vocab = dict(zip(ids[:256], BYTE_TOKENS))
        vocab |= {token_id: token.encode() for token, token_id in self.special_to_id.items()}
        vocab |= {token_id: token for token, token_id in self.whole.items()}
        return vocab | dict(zip(ids[256:], self.tokens[256:]))

    # --- checking -----------------------------------------------------------------------------------------------------

    def check(self, *, encodes_to_itself: bool = False) -> None:
        """Check that merges' IDs have no gaps, that no two tokens are alike, and that each token encodes to itself, if
        that is not known. Raises UnsupportedTokenizer. What was right once is not checked again.

        If each token encodes to itself, as always after training, then the course's algorithm, `tokenizers` and
        tiktoken agree on every text.
        """
        if self.is_right:
            return
        self._check_ids()
        alike = (token.encode() for token in self.special_to_id if spelled_like_bytes(token))
        tokens = [*self.tokens, *self.whole, *alike]
        if len(set(tokens)) < len(tokens):
            raise UnsupportedTokenizer(f"Two tokens have the same bytes: {repr(Counter(tokens).most_common(1)[0][0])}.")
        if not encodes_to_itself:
            self._check_merges()
        vars(self)["is_right"] = True

    def _check_merges(self) -> None:
        """Check that each token encodes to itself. Merges of tokens that only later merges make are not supported."""
        lefts, rights = self.left.tolist(), self.right.tolist()
        left_of, right_of = [*range(256), *lefts], [*range(256), *rights]
        merges = dict(zip(zip(lefts, rights), range(256, len(left_of))))
        for symbol, (left, right) in enumerate(zip(lefts, rights), start=256):
            if max(left, right) >= symbol:
                pair, new_id = self.learned[0][symbol - 256], int(self.ids[symbol])
                raise wrong_merge(symbol - 256, pair, new_id, "joins a token that only a later merge makes.")
            earlier = merge_across(left, right, symbol, merges, left_of, right_of)
            if earlier is not None:
                raise UnsupportedTokenizer(
                    f"The token {self.ids[symbol]} ({repr(self.tokens[symbol])}) does not encode to itself: the merge "
                    f"to {self.ids[earlier]} ({repr(self.tokens[earlier])}), learned earlier, takes bytes from both "
                    "its parts. Libraries would disagree on its encoding; train the tokenizer again."
                )

    def _check_ids(self) -> None:
        """Check that no ID has two tokens, and that merges have the IDs that `merge_ids` of the tokenizer gives."""
        all_ids = [*self.special_to_id.values(), *self.whole.values(), *self.ids.tolist()]
        if len(set(all_ids)) < len(all_ids) or not 0 <= min(all_ids) <= max(all_ids) < MAX_TOKENS:
            raise UnsupportedTokenizer(f"IDs must be from 0 to {MAX_TOKENS - 1:,}, and each the ID of one token.")
        right_ids = islice(self.tokenizer(BPEBase).merge_ids(), len(self.left))
        for rank, (pair, new_id, right_id) in enumerate(zip(*self.learned, right_ids)):
            if new_id != right_id:
                raise wrong_merge(
                    rank,
                    pair,
                    new_id,
                    f"should have the ID {right_id}: the IDs of merges start after those of the bytes and increase by "
                    "one, in the order learned, and only special tokens may have IDs in between. If this ID is a "
                    "special token's, name that token, too.",
                )


def symbols_of(merges: Mapping[Pair, int], byte_ids: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the symbols on the left and on the right of each merge; raise the errors of `Table.of`."""
    symbol_of = {token_id: symbol for symbol, token_id in enumerate(byte_ids)}
    last, pairs = max(byte_ids), []
    for pair, new_id in merges.items():
        try:
            left, right = pair
            pairs.append((symbol_of[left], symbol_of[right]))
            increases = last < index(new_id) < ID_LIMIT
        except KeyError as unknown:
            problem = f"uses {unknown}, which is neither a byte nor made by a merge before it."
            raise wrong_merge(len(pairs), pair, new_id, problem) from None
        except (TypeError, ValueError):
            raise ValueError(f"merges contains {pair!r}: {new_id!r}, but an entry must be (int, int): int.") from None
        if not increases:
            problem = "makes a wrong ID: IDs are above those of the bytes, increase, and are below 2**31."
            raise wrong_merge(len(pairs) - 1, pair, new_id, problem)
        symbol_of[new_id] = len(symbol_of)
        last = new_id
    left_symbols, right_symbols = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    return left_symbols, right_symbols


def wrong_merge(position: int, pair: Pair, new_id: int, problem: str) -> UnsupportedTokenizer:
    """Return the error for a merge that does not fit after the `position` merges before it."""
    return UnsupportedTokenizer(f"The merge {pair!r} -> {new_id}, number {position + 1}, {problem}")


# Each token is a byte or the merge of two earlier tokens: a binary tree. Two tokens that encode to themselves still do
# so side by side, unless BPE merged across the border between them at some step. There, it saw a right end of the
# left tree beside a left end of the right tree. Undoing the merges, the latest first, visits all pairs that it saw:
#
#     the|re       th e|re     th e|r e                  th = 256, re = 257, the = 258
#     258|257  ->  101|257  -> 101|114: both are bytes   no merge of a lower rank joins any of these pairs
#
# This takes one step per level of the two trees. It is `is_valid_token_pair` of the Rust crate `bpe` (GitHub 2024).


def merge_across(
    before: int, after: int, limit: int, merges: Mapping[Pair, int], left_of: Sequence[int], right_of: Sequence[int]
) -> int | None:
    """Return the symbol of a merge below `limit` that joins across the border of two symbols; None if none does."""
    while (made := merges.get((before, after), limit)) >= limit:
        if before < 256 and after < 256:
            return None
        if before > after:
            before, limit = right_of[before], before
        else:
            # Of equal pairs, the left one is merged first; here, that is the pair across the border.
            after, limit = left_of[after], after + 1
    return made
