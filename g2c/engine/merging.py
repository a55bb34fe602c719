"""Merging the bytes of a piece, as the loop of `encode` in g2c/solutions/bpe.py does: replace the pair that was learned
first, until no known pair is left.

    symbols  t h e r e      merges    th: 256          ranks     256  -   258  -
             256 e r e                re: 258                     -  258   -
             256 258 e                                            -   -

The rank of a pair is the symbol that replaces it: symbols number the merges in the order learned (see `Table`). A
replacement changes only the pairs on either side of it, so only their ranks are looked up again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Array, Int32, Int64, entry, expect, inner, natural
from g2c.engine.heap import heap_of
from g2c.formats.table import Table

NEVER = 0x7FFFFFFF  # The rank of a pair that is not merged.
FREE = -1  # An empty slot.
SHORT = 96  # The length in bytes up to which `_merge_short` is faster than `_merge_long`.

BITS = 21
"""The bits of a symbol, enough for `MAX_TOKENS`: one access to memory finds a pair and its merged symbol, 63 bits."""


def pair_table(table: Table) -> NDArray[np.int64]:
    """Make the table for `_rank_of`."""
    count = len(table.left)
    slots = np.full(1 << (2 * count).bit_length(), FREE, np.int64)
    expect(count // 2)
    _fill(slots, np.array(table.left, np.int64), np.array(table.right, np.int64))
    return slots


@inner
def _pair_hash(left: int, right: int) -> int:
    """Return a hash of a pair of symbols, whose last bits are a slot."""
    return (left * 0x2545F491 + right * 0x4F6CDD1D) >> 12


@inner
def _rank_of(table: Array, left: int, right: int) -> int:
    """Return the symbol that two symbols are merged into, or `NEVER`."""
    last = len(table) - 1
    slot, pair = natural(_pair_hash(left, right) & last), left << BITS | right
    while table[slot] != FREE:
        if table[slot] >> BITS == pair:
            return table[slot] & (1 << BITS) - 1
        slot = natural(slot + 1 & last)
    return NEVER


@entry
def _fill(table: Int64, left: Int64, right: Int64) -> None:
    """Enter all merges into an empty table."""
    last = len(table) - 1
    for k in range(len(left)):
        slot = _pair_hash(left[k], right[k]) & last
        while table[slot] != FREE:
            slot = slot + 1 & last
        table[slot] = (left[k] << BITS | right[k]) << BITS | 256 + k


class Scratch(NamedTuple):
    """Memory for merging a piece: its symbols, the rank of each with the next one. The rest is for `_merge_long`."""

    symbols: Int32
    ranks: Int32
    before: Int32
    after: Int32
    heap: Int64

    @classmethod
    def of(cls, length: int) -> "Scratch":
        """Make room for a piece of `length` bytes."""
        symbols, ranks, before, after = (np.empty(length, np.int32) for _ in range(4))
        return cls(symbols, ranks, before, after, heap=np.empty(2 * length, np.int64))


@inner
def _merge_short(table: Array, scratch: Scratch, count: int) -> int:
    """Merge the first `count` symbols; return how many are left."""
    symbols, ranks = scratch.symbols, scratch.ranks
    for i in range(count - 1):
        ranks[i] = _rank_of(table, symbols[i], symbols[i + 1])
    while count > 1:
        best, at = NEVER, 0
        for i in range(count - 1):
            if ranks[i] < best:
                best, at = ranks[i], i
        if best == NEVER:
            break
        count -= 1
        symbols[at] = best
        at = natural(at)
        for i in range(at, count - 1):
            i = natural(i)
            symbols[i + 1] = symbols[i + 2]
            ranks[i] = ranks[i + 1]
        if at > 0:
            ranks[at - 1] = _rank_of(table, symbols[at - 1], best)
        if at < count - 1:
            ranks[at] = _rank_of(table, best, symbols[at + 1])
    return count


@inner
def _is_lower(x: int, y: int) -> bool:
    """Compare two items."""
    return x < y


_push, _pop = heap_of(_is_lower)


@inner
def _look_up(table: Array, scratch: Scratch, count: int, size: int, at: int) -> int:
    """Put the pair at `at` into the heap if it has a rank; return the heap's size."""
    symbols, following, rank = scratch.symbols, scratch.after[at], NEVER
    if following < count:
        rank = _rank_of(table, symbols[at], symbols[following])
    scratch.ranks[at] = rank
    return size if rank == NEVER else _push(scratch.heap, size, rank << 32 | at)


@inner
def _merge_long(table: Array, scratch: Scratch, count: int) -> int:
    """Merge the first `count` symbols as `_merge_short` does, but in n log n steps; return how many are left.

    The symbols are a linked list: a merged pair stays at the place of its first symbol, and `before` and `after` skip
    the second. An item of the heap is a pair's rank and place in one number, so the lowest one is the leftmost pair to
    merge. It is skipped if the pair at its place has another rank by now.
    """
    symbols, ranks, before, after, heap = scratch.symbols, scratch.ranks, scratch.before, scratch.after, scratch.heap
    size = 0
    for i in range(count):
        before[i], after[i] = i - 1, i + 1
        size = _look_up(table, scratch, count, size, i)
    while size > 0:
        rank, at = heap[0] >> 32, heap[0] & 0xFFFFFFFF
        size = _pop(heap, size)
        if ranks[at] != rank:
            continue
        second = after[at]
        symbols[at], ranks[second], after[at] = rank, NEVER, after[second]
        size = _look_up(table, scratch, count, size, at)
        if after[at] < count:
            before[after[at]] = at
        if before[at] >= 0:
            size = _look_up(table, scratch, count, size, before[at])
    kept, i = 0, 0
    while i < count:
        symbols[kept] = symbols[i]
        kept += 1
        i = after[i]
    return kept


@inner
def merge(table: Array, scratch: Scratch, count: int) -> int:
    """Merge scratch.symbols[:count], which are bytes, in place; return how many are left."""
    return _merge_short(table, scratch, count) if count <= SHORT else _merge_long(table, scratch, count)
