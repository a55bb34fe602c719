"""A table of merges: of which two tokens each learned token is made.

Tokens are symbols here: byte b is symbol b, and the merge of rank k makes symbol 256 + k. So a symbol is a rank too,
whatever the tokenizer's IDs are:

    merges   {(116, 104): 264, (264, 101): 265}        symbol    101   104   116   256   257
    left     116  256                                  ID        101   104   116   264   265
    right    104  101                                  bytes     e     h     t     th    the

Whoever relies on merges takes them from here: saving and loading, encoding, streams.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from g2c.common.table_limits import MAX_TOKEN_BYTES, check_table_limits
from g2c.common.versioned import VersionedDict
from g2c.formats.merge_splits import BYTES, first_broken_token
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.special_tokens import BYTE_IDS, ID_LIMIT


@dataclass(frozen=True, eq=False)
class MergeTable:
    """Merges in the order in which they were learned, each of two bytes or tokens of earlier merges.

    Attributes:
        left, right: (merges,) int64: the symbols of the two parts of each merge.
        ids: (256 + merges,) int64: the ID of each symbol.
        tokens: the bytes of each symbol.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    ids: NDArray[np.int64]
    tokens: list[bytes]

    @classmethod
    def of(cls, merges: Mapping[Pair, int], byte_ids: Sequence[int] = BYTE_IDS) -> "MergeTable":
        """The table of a tokenizer's `merges`.

        Args:
            merges: pair of IDs -> ID, in the order learned.
            byte_ids: the ID of each of the 256 bytes.

        Raises:
            UnsupportedTokenizer: the new IDs do not increase from merge to merge, or a part did not exist before its
                merge.
            ValueError: an entry is not (int, int): int, or the tokens have more bytes than `MAX_TOKEN_BYTES`.

        >>> table = MergeTable.of({(116, 104): 264, (264, 101): 265})
        >>> table.left.tolist(), table.right.tolist(), table.ids[255:].tolist(), table.tokens[256:]
        ([116, 256], [104, 101], [255, 264, 265], [b'th', b'the'])
        """
        symbol_of = {token_id: symbol for symbol, token_id in enumerate(byte_ids)}
        tokens, size = [bytes([byte]) for byte in range(BYTES)], BYTES
        last = max(byte_ids)
        lefts: list[int] = []
        rights: list[int] = []
        for pair, new_id in merges.items():
            try:
                left_id, right_id = pair
                left, right = symbol_of[left_id], symbol_of[right_id]
                increases = last < index(new_id) < ID_LIMIT
            except KeyError as unknown:
                problem = f"uses {unknown}, which is neither a byte nor made by an earlier merge."
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
            symbol_of[new_id] = len(tokens)
            last = new_id
            token = tokens[left] + tokens[right]
            tokens.append(token)
            # Merges can double the length of a token each time, so this is checked on the way.
            size += len(token)
            if size > MAX_TOKEN_BYTES:
                check_table_limits(len(tokens), 0, size)
        return cls(np.array(lefts, np.int64), np.array(rights, np.int64), np.array(list(symbol_of), np.int64), tokens)

    @cached_property
    def broken(self) -> Pair | None:
        """The first token that does not encode to itself, and the token that is in its way; see merge_splits.py."""
        return first_broken_token(self.left, self.right)


class UnsupportedTokenizer(ValueError):
    """A tokenizer that a BPETokenizer, or another library, cannot represent."""


def wrong_merge(position: int, pair: Pair, new_id: int, problem: str) -> UnsupportedTokenizer:
    """The error for a merge that cannot be at its place in the order. `position` is the number of merges before it."""
    return UnsupportedTokenizer(f"The merge {pair!r} -> {new_id}, number {position + 1}, {problem}")


# --- the table of a tokenizer -----------------------------------------------------------------------------------------


_TABLES: WeakKeyDictionary[BPEBase, tuple[Any, MergeTable]] = WeakKeyDictionary()
"""Tokenizer -> (a copy of all that its table depends on, to notice when it changes; the table).

Not an attribute of the tokenizer, because its attributes are its state, which is copied, pickled and compared.
"""


def merge_table(tokenizer: BPEBase) -> MergeTable:
    """The table of a tokenizer's merges as they are now. It is kept until they change.

    Raises:
        ValueError: as `MergeTable.of`.
    """
    merges = tokenizer.merges
    # Two such copies are compared fast: lists compare their entries by identity first.
    entries = merges.version if isinstance(merges, VersionedDict) else (list(merges), list(merges.values()))
    state = entries, tokenizer.byte_ids
    known = _TABLES.get(tokenizer)
    if known is None or known[0] != state:
        known = _TABLES[tokenizer] = state, MergeTable.of(merges, tokenizer.byte_ids)
    return known[1]
