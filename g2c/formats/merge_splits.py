"""Which pair of tokens BPE merges into a token, decided from the table of merges alone, without encoding the token.

Each token is a byte or the merge of two earlier tokens, so a table of merges is a forest of binary trees. Two tokens
that each encode to themselves also do so next to each other, unless BPE would at some time have merged across the
border between them. At any time, the pair at the border consists of a right end of the left tree and a left end of the
right tree. Undoing the merges in the opposite order, the latest first, visits all pairs that were ever at the border:

    the|re       th e|re     th e|r e                  th = 256, re = 257, the = 258
    258|257  ->  101|257  -> 101|114: both are bytes   no merge of a lower rank joins any of these pairs

This takes one step for each level of the two trees, instead of one for each byte of the token. The method is
`is_valid_token_pair` in the Rust crate `bpe` (GitHub 2024, github.com/github/rust-gems).

Tokens are symbols here: byte b is symbol b, and the merge of rank k makes symbol 256 + k.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from g2c.tokenizer.base import Pair

BYTES = 256

_Symbols = Sequence[int] | NDArray[np.int64]

_MAX_WORK = 1 << 27
_MAX_WORK_PER_TOKEN = 200
"""Limits for the sum of the squared lengths of tokens. That of cl100k is 60 for each of its tokens on average."""


def first_broken_token(left: _Symbols, right: _Symbols) -> tuple[int, int] | None:
    """The first token that does not encode to itself, because an earlier merge takes bytes from both of its parts.

    Args:
        left, right: the two parts of each merged token, as symbols: merge k makes symbol 256 + k from two lower ones.
            No pair appears twice.

    Returns:
        (the symbol of the token, the symbol that the earlier merge makes); None if every token encodes to itself.
    """
    count = len(left)
    size = BYTES + count
    left_of = np.concatenate([np.arange(BYTES), np.asarray(left, np.int64)])
    right_of = np.concatenate([np.arange(BYTES), np.asarray(right, np.int64)])
    keys = left_of[BYTES:] * size + right_of[BYTES:]
    by_key = np.argsort(keys)
    keys = keys[by_key]
    # Nearly no pair at a border belongs to an earlier merge, and a hash tells so without a search: for each hash
    # the lowest symbol that one of its pairs makes, which is assigned last.
    mask = (1 << (8 * count).bit_length()) - 1
    lowest_made = np.full(mask + 1, size)
    lowest_made[_hashes(left_of[BYTES:], right_of[BYTES:], mask)[::-1]] = np.arange(size - 1, BYTES - 1, -1)

    # All tokens at once; one round undoes one merge in each.
    token = np.arange(BYTES, size)
    before, after = left_of[BYTES:], right_of[BYTES:]
    broken_token, broken_by = size, 0
    while True:
        goes_on = (np.maximum(before, after) >= BYTES) & (token < broken_token)
        token, before, after = token[goes_on], before[goes_on], after[goes_on]
        if not len(token):
            return None if broken_token == size else (broken_token, broken_by)
        undo_left = before > after
        limit = np.where(undo_left, before, after + 1)
        before, after = np.where(undo_left, right_of[before], before), np.where(undo_left, after, left_of[after])
        candidates = np.flatnonzero(lowest_made[_hashes(before, after, mask)] < limit)
        key = before[candidates] * size + after[candidates]
        found = np.searchsorted(keys, key)
        found[found == count] = 0
        made = by_key[found] + BYTES
        is_broken = (keys[found] == key) & (made < limit[candidates])
        if is_broken.any():
            broken, made = token[candidates[is_broken]], made[is_broken]
            first = int(np.argmin(broken))
            if broken[first] < broken_token:
                broken_token, broken_by = int(broken[first]), int(made[first])


def _hashes(left: NDArray[np.int64], right: NDArray[np.int64], mask: int) -> NDArray[np.int64]:
    return (left * 0x2545F491 + right * 0x4F6CDD1D) >> 12 & mask


def find_splits(tokens: Sequence[bytes]) -> Iterator[Pair]:
    """The pair of symbols from which BPE merges each token, for tables that contain only the tokens and their order.

    Args:
        tokens: the bytes of the merged tokens, by rank. All differ, and each has at least two bytes.

    Raises:
        ValueError: a token is not the merge of two earlier tokens, or the tokens are so long, as no training makes
            them, that finding their merges would take long. The message names a token.
    """
    if sum(len(token) ** 2 for token in tokens) > _MAX_WORK + _MAX_WORK_PER_TOKEN * len(tokens):
        longest = max(tokens, key=len)
        raise ValueError(
            f"The tokens are too long to find out their merges: {longest[:20]!r}..., the longest, has {len(longest):,} "
            "bytes."
        )
    symbol_of = {bytes([byte]): byte for byte in range(BYTES)}
    left_of, right_of = list(range(BYTES)), list(range(BYTES))
    merges: dict[Pair, int] = {}
    for symbol, token in enumerate(tokens, start=BYTES):
        for cut in range(1, len(token)):
            left, right = symbol_of.get(token[:cut]), symbol_of.get(token[cut:])
            if left is not None and right is not None and _stays_apart(left, right, symbol, merges, left_of, right_of):
                break
        else:
            raise ValueError(f"No merge makes the token {token!r}: it does not consist of two tokens of lower rank.")
        symbol_of[token] = symbol
        merges[left, right] = symbol
        left_of.append(left)
        right_of.append(right)
        yield left, right


def _stays_apart(
    before: int, after: int, limit: int, merges: dict[Pair, int], left_of: Sequence[int], right_of: Sequence[int]
) -> bool:
    """Whether no merge below `limit` joins across the border of two neighbors; see the module's docstring."""
    while merges.get((before, after), limit) >= limit:
        if before < BYTES and after < BYTES:
            return True
        if before > after:
            before, limit = right_of[before], before
        else:
            # Of equal pairs the left one is merged first: at the border, that is the one across it.
            after, limit = left_of[after], after + 1
    return False
