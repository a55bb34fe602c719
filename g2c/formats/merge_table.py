"""A table of merges: the two tokens that each learned token consists of.

Tokens are numbered as symbols here: byte b is symbol b, and the merge of rank k makes symbol 256 + k. So symbols are
in the order of ranks, whatever the tokenizer's IDs are:

    merges   {(116, 104): 264, (264, 101): 265}        symbol    101   104   116   256   257
    left     116  256                                  ID        101   104   116   264   265
    right    104  101                                  bytes     e     h     t     th    the

Saving, loading, encoding and streams all use this table.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count, islice, pairwise, takewhile
from operator import index
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import UnsupportedTokenizer
from g2c.common.table_limits import MAX_TOKEN_BYTES, check_table_limits
from g2c.common.versioned import VersionedDict
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.special_tokens import BYTE_IDS, ID_LIMIT

Text = TypeVar("Text", str, bytes)

BYTES = 256
"""The number of bytes, and the symbol of the first merge."""

_MAX_WORK = 1 << 27
_MAX_WORK_PER_TOKEN = 200
"""Limits for the sum of the squared lengths of tokens. For cl100k, this sum is 60 per token."""

_MAX_LATE = 2000
"""The number of merges that may join a token whose ID is higher than the one they make. Llama 3 has 695: its .:.: is
made from .:. and a colon, and no two tokens of lower ID make it."""


@dataclass(frozen=True, eq=False)
class MergeTable:
    """The merges of a tokenizer, in the order learned.

    `left` and `right` are the symbols that each merge joins, `ids` and `tokens` the ID and the bytes of each symbol,
    and `whole` is `BPEBase.whole_pieces`, the tokens that no merge makes.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    ids: NDArray[np.int64]
    tokens: list[bytes]
    whole: Mapping[bytes, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, merges: Mapping[Pair, int], byte_ids: Sequence[int] = BYTE_IDS, whole: Mapping[bytes, int] | None = None
    ) -> "MergeTable":
        """Make the table of a tokenizer's `merges`: pair of IDs -> ID, in the order learned.

        Raises UnsupportedTokenizer if the new IDs do not increase, a merge joins an ID without a token, or the tokens
        are longer than `MAX_TOKEN_BYTES` in total; and ValueError if an entry is not (int, int): int.
        """
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
                raise ValueError(
                    f"merges contains {pair!r}: {new_id!r}, but an entry must be (int, int): int."
                ) from None
            if not increases:
                problem = "makes a wrong ID: IDs are above those of the bytes, increase, and are below 2**31."
                raise wrong_merge(len(lefts), pair, new_id, problem)
            lefts.append(left)
            rights.append(right)
            last = new_id
        return cls(
            np.array(lefts, np.int64),
            np.array(rights, np.int64),
            np.array([*byte_ids, *merges.values()], np.int64),
            _joined(merges, lefts, rights),
            dict(whole or {}),
        )

    @cached_property
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
                made = _merge_across(left, right, symbol, merges, left_of, right_of)
            if made is not None:
                return symbol, made
        return None


def _joined(merges: Mapping[Pair, int], lefts: Sequence[int], rights: Sequence[int]) -> list[bytes]:
    """Return the bytes of each symbol. A merge that joins a later merge's token is computed after it."""
    tokens = [*(bytes([byte]) for byte in range(BYTES)), *[b""] * len(lefts)]
    size, waiting = BYTES, list(range(BYTES, len(tokens)))
    while waiting:
        late = []
        for symbol in waiting:
            left, right = tokens[lefts[symbol - BYTES]], tokens[rights[symbol - BYTES]]
            if not left or not right:
                late.append(symbol)
                continue
            tokens[symbol] = left + right
            # Checked here, because each merge can double the length of a token.
            size += len(tokens[symbol])
            if size > MAX_TOKEN_BYTES:
                check_table_limits(len(tokens), 0, size)
        if len(late) == len(waiting) or len(late) > _MAX_LATE:
            position, (pair, new_id) = next(islice(enumerate(merges.items()), late[0] - BYTES, None))
            raise wrong_merge(position, pair, new_id, "joins tokens that only later merges make.")
        waiting = late
    return tokens


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


def wrong_merge(position: int, pair: Pair, new_id: int, problem: str) -> UnsupportedTokenizer:
    """Return the error for a merge that does not fit after the `position` merges before it."""
    return UnsupportedTokenizer(f"The merge {pair!r} -> {new_id}, number {position + 1}, {problem}")


_LATEST: WeakKeyDictionary[BPEBase, tuple[Any, MergeTable]] = WeakKeyDictionary()
"""Tokenizer -> (a copy of everything that its table depends on, to notice changes; the table).

This is not an attribute of the tokenizer, whose attributes are copied, pickled and compared.
"""


def merge_table(tokenizer: BPEBase) -> MergeTable:
    """Return the table of a tokenizer's current merges, and keep it until they change."""
    merges = tokenizer.merges
    # Comparing two such copies is fast, because lists compare their entries by identity first.
    entries = merges.version if isinstance(merges, VersionedDict) else (list(merges), list(merges.values()))
    state = entries, tokenizer.byte_ids, tokenizer.whole_pieces
    known = _LATEST.get(tokenizer)
    if known is None or known[0] != state:
        known = _LATEST[tokenizer] = state, MergeTable.of(merges, tokenizer.byte_ids, tokenizer.whole_pieces)
    return known[1]


# --- which pair a token is merged from --------------------------------------------------------------------------------

# Each token is a byte or the merge of two earlier tokens: a binary tree. Two tokens that encode to themselves still do
# so side by side, unless BPE merged across the border between them at some step. There, it saw a right end of the
# left tree beside a left end of the right tree. Undoing the merges, the latest first, visits all pairs that it saw:
#
#     the|re       th e|re     th e|r e                  th = 256, re = 257, the = 258
#     258|257  ->  101|257  -> 101|114: both are bytes   no merge of a lower rank joins any of these pairs
#
# This takes one step per level of the two trees. It is `is_valid_token_pair` of the Rust crate `bpe` (GitHub 2024).


def find_splits(tokens: Sequence[bytes]) -> Iterator[Pair | None]:
    """Yield the pair of symbols from which BPE merges each token, for tables that contain only the tokens.

    The tokens are in the order of their ranks, all differ, and each has at least two bytes. A token that is not the
    merge of two earlier ones gives None, and gets no symbol. Raises UnsupportedTokenizer for tokens that are so long
    that this would take too long; no training makes such tokens.
    """
    if sum(len(token) ** 2 for token in tokens) > _MAX_WORK + _MAX_WORK_PER_TOKEN * len(tokens):
        longest = max(tokens, key=len)
        raise UnsupportedTokenizer(
            f"Its tokens are too long to find out their merges: {longest[:20]!r}..., the longest, has {len(longest):,} "
            "bytes."
        )
    symbol_of = {bytes([byte]): byte for byte in range(BYTES)}
    left_of, right_of = list(range(BYTES)), list(range(BYTES))
    merges: dict[Pair, int] = {}
    for token in tokens:
        symbol = len(left_of)
        for cut in range(1, len(token)):
            # More beginnings than endings are tokens.
            if (right := symbol_of.get(token[cut:])) is None or (left := symbol_of.get(token[:cut])) is None:
                continue
            if _merge_across(left, right, symbol, merges, left_of, right_of) is None:
                break
        else:
            yield None
            continue
        symbol_of[token] = symbol
        merges[left, right] = symbol
        left_of.append(left)
        right_of.append(right)
        yield left, right


def _merge_across(
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
