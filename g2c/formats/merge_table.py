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
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from g2c.common.table_limits import MAX_TOKEN_BYTES, check_table_limits
from g2c.common.versioned import VersionedDict
from g2c.formats.merge_splits import BYTES, first_broken_token
from g2c.tokenizer.base import BPEBase, Pair
from g2c.tokenizer.special_tokens import BYTE_IDS, ID_LIMIT


class MergeError(ValueError):
    """A merge is not valid.

    Attributes:
        position: its position among the merges.
    """

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


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
            MergeError: the new IDs do not increase from merge to merge, a part did not exist before its merge, or
                something is not an integer. The message names the first such merge.
            ValueError: the tokens have more bytes than `MAX_TOKEN_BYTES`.

        >>> table = MergeTable.of({(116, 104): 264, (264, 101): 265})
        >>> table.left.tolist(), table.right.tolist(), table.ids[255:].tolist(), table.tokens[256:]
        ([116, 256], [104, 101], [255, 264, 265], [b'th', b'the'])
        """
        _check_types(merges)
        count = len(merges)
        try:
            parts = np.fromiter(chain.from_iterable(merges), np.int64, 2 * count).reshape(-1, 2)
            new_ids = np.fromiter(merges.values(), np.int64, count)
        except OverflowError:
            too_large = [max(map(abs, (*pair, new_id))) >= ID_LIMIT for pair, new_id in merges.items()]
            raise _problem(
                merges, too_large.index(True), "has a number that cannot be an ID: IDs are below 2**31"
            ) from None
        ids = np.concatenate([np.fromiter(byte_ids, np.int64, BYTES), new_ids])
        by_id = np.argsort(ids, kind="stable")
        symbols = by_id[np.minimum(np.searchsorted(ids, parts, sorter=by_id), len(ids) - 1)]
        unknown = (ids[symbols] != parts) | (symbols >= np.arange(BYTES, len(ids))[:, None])
        wrong = (new_ids <= np.concatenate([[max(byte_ids)], new_ids[:-1]])) | (new_ids >= ID_LIMIT)
        if wrong.any() or unknown.any():
            position = int(np.argmax(wrong | unknown.any(axis=1)))
            if wrong[position]:
                rule = "IDs are above those of the bytes, increase from merge to merge, and are below 2**31"
                raise _problem(merges, position, f"makes a wrong ID: {rule}")
            part = parts[position][unknown[position]][0]
            raise _problem(merges, position, f"uses {part}, which is neither a byte nor made by an earlier merge")
        left, right = symbols[:, 0], symbols[:, 1]
        return cls(left, right, ids, _tokens(left, right))

    @cached_property
    def broken(self) -> Pair | None:
        """The first token that does not encode to itself, and the token that is in its way; see merge_splits.py."""
        return first_broken_token(self.left, self.right)


def _check_types(merges: Mapping[Any, Any]) -> None:
    # There may be millions of merges, so the loops are those of built-in functions.
    if all(issubclass(kind, tuple) for kind in set(map(type, merges))) and set(map(len, merges)) <= {2}:
        if all(map(_is_type_of_ids, set(map(type, chain(chain.from_iterable(merges), merges.values()))))):
            return
    for position, (pair, new_id) in enumerate(merges.items()):
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(_is_type_of_ids(type(i)) for i in (*pair, new_id))):
            raise MergeError(f"merges contains {pair!r}: {new_id!r}, but an entry must be (int, int): int.", position)


def _is_type_of_ids(kind: type) -> bool:
    """Whether IDs may be of a type. Integers of numpy are accepted: a student may count pairs with numpy."""
    return kind is int or (issubclass(kind, Integral) and not issubclass(kind, bool))


def _problem(merges: Mapping[Pair, int], position: int, problem: str) -> MergeError:
    pair, new_id = list(merges.items())[position]
    return MergeError(f"The merge {pair} -> {new_id} {problem}.", position)


def _tokens(left: NDArray[np.int64], right: NDArray[np.int64]) -> list[bytes]:
    tokens, size = [bytes([byte]) for byte in range(BYTES)], BYTES
    for first, second in zip(left.tolist(), right.tolist()):
        token = tokens[first] + tokens[second]
        tokens.append(token)
        # Merges can double the length of a token each time, so this is checked on the way.
        size += len(token)
        if size > MAX_TOKEN_BYTES:
            check_table_limits(len(tokens), 0, size)
    return tokens


# --- the table of a tokenizer -----------------------------------------------------------------------------------------


class _Known(NamedTuple):
    """A table, or why there is none; and a copy of all that it depends on, to notice when the tokenizer changes.

    Comparing two such copies is fast: lists compare their entries by identity first.
    """

    state: tuple[Any, ...]
    table: MergeTable | ValueError


_TABLES: WeakKeyDictionary[BPEBase, _Known] = WeakKeyDictionary()
"""Not an attribute of the tokenizer, because its attributes are its state, which is copied, pickled and compared."""


def merge_table(tokenizer: BPEBase) -> MergeTable:
    """The table of a tokenizer's merges as they are now. It is kept until they change.

    Raises:
        ValueError: as `MergeTable.of`.
    """
    merges = tokenizer.merges
    entries = (merges.version,) if isinstance(merges, VersionedDict) else (list(merges), list(merges.values()))
    state = (*entries, tokenizer.byte_ids)
    known = _TABLES.get(tokenizer)
    if known is None or known.state != state:
        # A copy of a tokenizer shares its table.
        known = next((other for other in list(_TABLES.values()) if other.state == state), None)
        if known is None:
            try:
                known = _Known(state, MergeTable.of(merges, tokenizer.byte_ids))
            except ValueError as error:
                known = _Known(state, error)
        _TABLES[tokenizer] = known
    if isinstance(known.table, ValueError):
        raise known.table.with_traceback(None)
    return known.table
