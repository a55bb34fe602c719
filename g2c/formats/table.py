"""A tokenizer as a frozen table: everything that determines its IDs, read once and checked.

Tokens are numbered as symbols here: byte b is symbol b, and the merge of rank k makes symbol 256 + k. So symbols are
in the order of ranks, whatever the tokenizer's IDs are:

    merges   {(116, 104): 264, (264, 101): 265}        symbol    101   104   116   256   257
    left     116  256                                  ID        101   104   116   264   265
    right    104  101                                  bytes     e     h     t     th    the

`Table.of(tokenizer)` is the only place that reads a tokenizer's merges, which anybody may edit. Saving, loading and
encoding work on the table.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from itertools import chain, count, islice, pairwise, takewhile
from operator import index
from reprlib import repr
from typing import Any, TypeVar
from weakref import WeakKeyDictionary
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import UnsupportedTokenizer
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.patterns import Pattern, resolve_pattern
from g2c.tokenizer.special_tokens import ID_LIMIT, MAX_TOKENS, special_token_ids, spelled_like_bytes

Text = TypeVar("Text", str, bytes)
Tokenizer = TypeVar("Tokenizer", bound=BPEBase)

BYTES = 256
"""The number of bytes, and the symbol of the first merge."""

MAX_TOKENS_LENGTH = 1 << 28
"""The largest length of all tokens together, in bytes. A merge can double a token's length, so a few dozen edited ones
could fill any memory; o200k's tokens have 1.6 million bytes."""

_TABLE_FORM = 1
"""The version of the form that `Table.to_bytes` writes."""

_MAX_LATE = 2000
"""The number of merges that may join a token whose ID is higher than the one they make. Llama 3 has 695: its .:.: is
made from .:. and a colon, and no two tokens of lower ID make it."""


@dataclass(frozen=True, eq=False)
class Table:
    """Everything that determines the IDs of a text. Two tables are equal only if they are the same object.

    Attributes:
        left, right: the symbols that each merge joins, in the order learned.
        ids: symbol -> token ID, so the first 256 are the IDs of the bytes.
        pattern, special_to_id, normalization, shown: as in the tokenizer, where `shown` is called `shown_tokens`.
        whole: the tokens that no merge makes, with their IDs. A piece becomes such a token only as a whole.
        is_right: whether `check` has found nothing wrong.
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

    @classmethod
    def of(cls, tokenizer: BPEBase) -> "Table":
        """Return the table of a tokenizer as it is now. The last one is kept, and given again if nothing has changed.

        A tokenizer that was read from a file, or trained by the engine, has its table until its merges are asked for.
        From then on they may have been edited, so they are compared with those of the last table, which takes 0.1 ms
        for 8,000 merges.

        Raises UnsupportedTokenizer if the new IDs do not increase, a merge joins an ID without a token, or the tokens
        are too long; ValueError if an entry of `merges` is not (int, int): int; and TypeError if this is no tokenizer.
        """
        if not isinstance(tokenizer, BPEBase):
            raise TypeError(f"The tokenizer should be a BPETokenizer, but it is of type {type(tokenizer).__name__}.")
        pattern, special, whole = tokenizer.pattern, tokenizer.special_to_id, tokenizer.whole_pieces
        settings = tokenizer.byte_ids, pattern, special, whole, tokenizer.normalization, tokenizer.shown_tokens
        if "merges" not in vars(tokenizer) and tokenizer.table.settings == settings:
            table: Table = tokenizer.table
            return table
        # Comparing two such lists is fast, because they compare their entries by identity first.
        learned = list(tokenizer.merges), list(tokenizer.merges.values())
        known = _LATEST.get(tokenizer)
        if known is None or known[0] != learned or known[1].settings != settings:
            left, right, ids = read_merges(tokenizer.merges, tokenizer.byte_ids)
            table = cls(left, right, ids, pattern, dict(special), dict(whole), *settings[4:])
            known = _LATEST[tokenizer] = learned, table
        return known[1]

    @cached_property
    def byte_ids(self) -> bytes | tuple[int, ...]:
        """The ID of each byte, as in the tokenizer."""
        ids = self.ids[:BYTES].tolist()
        return bytes(ids) if max(ids) < 256 else tuple(ids)

    @cached_property
    def settings(self) -> tuple[Any, ...]:
        """Everything besides the merges."""
        return self.byte_ids, self.pattern, self.special_to_id, self.whole, self.normalization, self.shown

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each symbol. Raises UnsupportedTokenizer if a merge joins what nothing makes."""
        lefts, rights = self.left.tolist(), self.right.tolist()
        tokens = [*(bytes([byte]) for byte in range(BYTES)), *[b""] * len(lefts)]
        length, waiting = BYTES, list(range(BYTES, len(tokens)))
        while waiting:
            late = []
            for symbol in waiting:
                left, right = tokens[lefts[symbol - BYTES]], tokens[rights[symbol - BYTES]]
                length += len(left) + len(right)
                if length > MAX_TOKENS_LENGTH:
                    raise UnsupportedTokenizer(f"The tokens have more than {MAX_TOKENS_LENGTH:,} bytes in all.")
                if left and right:
                    tokens[symbol] = left + right
                else:
                    late.append(symbol)
            if len(late) == len(waiting) or len(late) > _MAX_LATE:
                raise self._wrong_merge(late[0] - BYTES, "joins tokens that only later merges make.")
            waiting = late
        return tokens

    def tokenizer(self, cls: type[Tokenizer]) -> Tokenizer:
        """Make a tokenizer of a class with this table."""
        tokenizer = cls()
        tokenizer.set_table(self)
        return tokenizer

    def merges(self) -> dict[Pair, int]:
        """Make the tokenizer's `merges`: pair of IDs -> ID, in the order learned."""
        pairs = zip(self.ids[self.left].tolist(), self.ids[self.right].tolist())
        return dict(zip(pairs, self.ids[BYTES:].tolist()))

    def vocab(self) -> dict[int, bytes]:
        """Make the tokenizer's `vocab`: ID -> token. First come the bytes, then special tokens."""
        ids = self.ids.tolist()
        vocab = dict(zip(ids[:BYTES], self.tokens))
        vocab.update({token_id: token.encode() for token, token_id in self.special_to_id.items()})
        vocab.update({token_id: token for token, token_id in self.whole.items()})
        vocab.update(zip(ids[BYTES:], self.tokens[BYTES:]))
        return vocab

    def to_bytes(self) -> bytes:
        """Return the content of a file from which `from_bytes` makes the table again, checked as it is."""
        self.check()
        whole = {token.hex(): token_id for token, token_id in self.whole.items()}
        settings = [self.pattern, self.special_to_id, whole, self.normalization, sorted(self.shown)]
        arrays = [array.astype(np.int32) for array in (self.left, self.right, self.ids)]
        file = BytesIO()
        np.savez(file, *arrays, np.frombuffer(json.dumps([_TABLE_FORM, *settings]).encode(), np.uint8))
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Table":
        """Make the table that `to_bytes` wrote. Raises ValueError for another version, or if the data is damaged."""
        try:
            arrays = [array for _, array in np.load(BytesIO(data)).items()]
            version, pattern, special, whole, normalization, shown = json.loads(arrays[3].tobytes())
            if version != _TABLE_FORM:
                raise ValueError(f"it has version {version}, not {_TABLE_FORM}")
        except (BadZipFile, EOFError, LookupError, OSError, TypeError, ValueError) as error:
            raise ValueError(f"This is not a table that to_bytes wrote: {error}.") from None
        whole = {bytes.fromhex(token): token_id for token, token_id in whole.items()}
        left, right, ids = (array.astype(np.int64) for array in arrays[:3])
        table = cls(left, right, ids, pattern, special, whole, normalization, frozenset(shown))
        vars(table)["is_right"] = True
        return table

    # --- checking -----------------------------------------------------------------------------------------------------

    @classmethod
    def checked(cls, tokenizer: BPEBase) -> "Table":
        """Return the table of a tokenizer, and check that the tokenizer's whole state follows from it.

        Raises what `of` and `check` raise, and ValueError, which says where, if the state does not follow.
        """
        table = cls.of(tokenizer)
        special = special_token_ids(tokenizer.special_to_id, tokenizer.byte_ids)
        for name, right in (
            ("special_tokens", tuple(special)),
            ("special_to_id", special),
            ("id_to_special", {token_id: token for token, token_id in special.items()}),
            ("special_token_ids", frozenset(special.values())),
            ("pattern", resolve_pattern(tokenizer.pattern)),
            ("byte_ids", table.byte_ids),
        ):
            found = getattr(tokenizer, name)
            if found != right:
                raise ValueError(f"{name} is {repr(found)}, but it should be {repr(right)}.")
        table.check()
        if "vocab" in vars(tokenizer) and tokenizer.vocab != (expected := table.vocab()):
            token_ids = [*expected, *tokenizer.vocab]
            wrong = next(i for i in token_ids if tokenizer.vocab.get(i) != expected.get(i))
            has = repr(tokenizer.vocab[wrong]) if wrong in tokenizer.vocab else "missing"
            should = repr(expected[wrong]) if wrong in expected else "absent, as no merge makes it"
            raise ValueError(f"vocab[{wrong!r}] is {has}, but it should be {should}.")
        return table

    def check(self, *, encodes_to_itself: bool = False) -> None:
        """Check that merges' IDs have no gaps, that no two tokens are alike, and that each token encodes to itself.

        If each token does, as it always does after training, then the course's algorithm, `tokenizers` and tiktoken
        agree on every text. `encodes_to_itself` says that this is known. Raises UnsupportedTokenizer. What was right
        once is not checked again.
        """
        if self.is_right:
            return
        self._check_ids()
        alike = (token.encode() for token in self.special_to_id if spelled_like_bytes(token))
        tokens = [*self.tokens, *self.whole, *alike]
        if len(set(tokens)) < len(tokens):
            raise UnsupportedTokenizer(f"Two tokens have the same bytes: {repr(Counter(tokens).most_common(1)[0][0])}.")
        if not encodes_to_itself and (broken := self.broken):
            symbol, earlier = broken
            raise UnsupportedTokenizer(
                f"The token {self.ids[symbol]} ({repr(self.tokens[symbol])}) does not encode to itself: the merge to "
                f"{self.ids[earlier]} ({repr(self.tokens[earlier])}), learned earlier, takes bytes from both its "
                "parts. Libraries would disagree on its encoding; train the tokenizer again."
            )
        vars(self)["is_right"] = True

    def _check_ids(self) -> None:
        others = {*self.special_to_id.values(), *self.whole.values()}
        special_token_ids(self.special_to_id, self.byte_ids)
        all_ids = [*self.special_to_id.values(), *self.whole.values(), *self.ids.tolist()]
        if len(set(all_ids)) < len(all_ids) or not 0 <= min(all_ids) <= max(all_ids) < MAX_TOKENS:
            raise UnsupportedTokenizer(f"IDs must be from 0 to {MAX_TOKENS - 1:,}, and each the ID of one token.")
        new_ids = self.ids[BYTES:]
        free = (token_id for token_id in count(int(self.ids[:BYTES].max()) + 1) if token_id not in others)
        right_ids = np.fromiter(islice(free, len(new_ids)), np.int64, len(new_ids))
        if (new_ids != right_ids).any():
            position = int(np.argmax(new_ids != right_ids))
            raise self._wrong_merge(
                position,
                f"should have the ID {right_ids[position]}: the IDs of merges start at {right_ids[0]} and increase by "
                "one, in the order learned, and only special tokens may have IDs in between. If this ID is a special "
                "token's, name that token, too.",
            )

    @property
    def broken(self) -> Pair | None:
        """The first token that does not encode to itself, and the earlier merge's token that prevents it."""
        lefts, rights = self.left.tolist(), self.right.tolist()
        left_of, right_of = [*range(BYTES), *lefts], [*range(BYTES), *rights]
        merges = dict(zip(zip(lefts, rights), range(BYTES, len(left_of))))
        pairs = enumerate(zip(lefts, rights), start=BYTES)
        contains_late = finder([self.tokens[symbol] for symbol, pair in pairs if max(pair) > symbol])
        for symbol, (left, right) in enumerate(zip(lefts, rights), start=BYTES):
            if contains_late(self.tokens[symbol]):
                merged, _ = merge_all(list(self.tokens[symbol]), merges.get)
                made = None if merged == [symbol] else max(merged)
            else:
                made = merge_across(left, right, symbol, merges, left_of, right_of)
            if made is not None:
                return symbol, made
        return None

    def _wrong_merge(self, rank: int, problem: str) -> UnsupportedTokenizer:
        pair = self.ids[self.left[rank]].item(), self.ids[self.right[rank]].item()
        return wrong_merge(rank, pair, self.ids[BYTES + rank].item(), problem)


_LATEST: WeakKeyDictionary[BPEBase, tuple[Any, Table]] = WeakKeyDictionary()
"""Tokenizer -> (the merges that its table was made from, to notice changes; the table).

This is not an attribute of the tokenizer, whose attributes are copied, pickled and compared.
"""


def read_merges(merges: Mapping[Pair, int], byte_ids: Sequence[int]) -> tuple[NDArray[np.int64], ...]:
    """Return left, right and ids of a tokenizer's merges; raise the errors of `Table.of`."""
    last = max(byte_ids)
    lefts: list[int] = []
    rights: list[int] = []
    try:
        symbol_of = dict(zip(chain(byte_ids, merges.values()), count()))
    except TypeError:
        # The loop below finds the entry that is wrong.
        symbol_of = dict(zip(byte_ids, count()))
    for pair, new_id in merges.items():
        try:
            left_id, right_id = pair
            left, right = symbol_of[left_id], symbol_of[right_id]
            increases = last < index(new_id) < ID_LIMIT
        except KeyError as unknown:
            problem = f"uses {unknown}, which is neither a byte nor made by a merge."
            raise wrong_merge(len(lefts), pair, new_id, problem) from None
        except (TypeError, ValueError):
            raise ValueError(f"merges contains {pair!r}: {new_id!r}, but an entry must be (int, int): int.") from None
        if not increases:
            problem = "makes a wrong ID: IDs are above those of the bytes, increase, and are below 2**31."
            raise wrong_merge(len(lefts), pair, new_id, problem)
        lefts.append(left)
        rights.append(right)
        last = new_id
    return np.array(lefts, np.int64), np.array(rights, np.int64), np.array([*byte_ids, *merges.values()], np.int64)


def wrong_merge(position: int, pair: Pair, new_id: int, problem: str) -> UnsupportedTokenizer:
    """Return the error for a merge that does not fit after the `position` merges before it."""
    return UnsupportedTokenizer(f"The merge {pair!r} -> {new_id}, number {position + 1}, {problem}")


def finder(parts: Collection[Text]) -> Callable[[Text], bool]:
    """Return a function that tells whether a token contains one of the parts, or is one of them."""
    known, lengths = frozenset(parts), sorted({len(part) for part in parts})
    return lambda token: any(
        token[at : at + length] in known
        for length in takewhile(len(token).__ge__, lengths)
        for at in range(len(token) - length + 1)
    )


def merge_all(symbols: list[int], made_by: Callable[[Pair], int | None]) -> tuple[list[int], Pair | None]:
    """Merge symbols or IDs, lowest result first. Return the remaining ones, and the pair merged last."""
    last = None
    while True:
        results = [(made, at) for at, pair in enumerate(pairwise(symbols)) if (made := made_by(pair)) is not None]
        if not results:
            return symbols, last
        made, at = min(results)
        last = symbols[at], symbols[at + 1]
        symbols = [*symbols[:at], made, *symbols[at + 2 :]]


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
        if before < BYTES and after < BYTES:
            return None
        if before > after:
            before, limit = right_of[before], before
        else:
            # Of equal pairs, the left one is merged first; here, that is the pair across the border.
            after, limit = left_of[after], after + 1
    return made
