"""Merging one piece as `encode` does, in loops: replace the pair that was learned first, until no known pair is left.

    symbols  t h e r e      merges    th: 256          ranks     256  -   258  -
             256 e r e                re: 258                     -  258   -
             256 258 e                                            -   -

The rank of a pair is the symbol that it makes: symbols number the merges in the order in which they were learned (see
`MergeTable`). A replacement changes only the pairs on either side of it, so only their ranks are looked up again.
"""

import numpy as np
from numpy.typing import NDArray

from g2c.engine.compiled import Array, Int64, entry, inner
from g2c.formats.merge_table import MergeTable

NEVER = 0x7FFFFFFF
"""In place of a rank: this pair is not merged."""

NOTHING = NEVER << 32
"""In place of a rank and a place: that of a symbol that is no longer in the list."""

BITS = 21
"""Of a symbol: two and what they are merged into make one number of 63 bits. So they are side by side in memory."""

MAX_SYMBOLS = 1 << BITS

BYTE_PAIRS = 1 << 16
"""So many entries of the table are for pairs of bytes, half of all that are looked up: the rank of (a, b) is at
256 * a + b. Behind them is a hash table of all pairs."""

EMPTY = -1

SHORT = 96
"""Up to so many bytes of a piece, `merge_short` is faster than `merge_long`."""


def pair_table(table: MergeTable) -> NDArray[np.int64]:
    """The merges as a table for `rank_of`.

    Raises:
        ValueError: there are more than `MAX_SYMBOLS` symbols.
    """
    count = len(table.left)
    if 256 + count > MAX_SYMBOLS:
        raise ValueError(f"The engine has room for {MAX_SYMBOLS - 256:,} merges, not for {count:,}.")
    slots = np.full(BYTE_PAIRS + (1 << (2 * count).bit_length()), EMPTY, np.int64)
    slots[:BYTE_PAIRS] = NEVER
    _fill(slots, np.array(table.left, np.int64), np.array(table.right, np.int64))
    return slots


@inner
def pair_hash(left: int, right: int) -> int:
    """A number for a pair of symbols; a table of n slots, n a power of two, takes its last bits."""
    return (left * 0x2545F491 + right * 0x4F6CDD1D) >> 12


@inner
def rank_of(table: Array, left: int, right: int) -> int:
    """The symbol that two symbols are merged into, or `NEVER`."""
    last = len(table) - BYTE_PAIRS - 1 & 0x7FFFFFFF
    slot, pair = pair_hash(left, right) & last, left << BITS | right
    while table[BYTE_PAIRS + slot] != EMPTY:
        if table[BYTE_PAIRS + slot] >> BITS == pair:
            return table[BYTE_PAIRS + slot] & MAX_SYMBOLS - 1
        slot = slot + 1 & last
    return NEVER


@entry
def _fill(table: Int64, left: Int64, right: Int64) -> None:
    last = len(table) - BYTE_PAIRS - 1
    for k in range(len(left)):
        if left[k] < 256 and right[k] < 256:
            table[left[k] << 8 | right[k]] = 256 + k
        slot = pair_hash(left[k], right[k]) & last
        while table[BYTE_PAIRS + slot] != EMPTY:
            slot = slot + 1 & last
        table[BYTE_PAIRS + slot] = (left[k] << BITS | right[k]) << BITS | 256 + k


@inner
def merge_short(table: Array, symbols: Array, ranks: Array, count: int) -> int:
    """Merge symbols[:count], all of them bytes, in place; returns how many are left.

    Args:
        ranks: scratch memory of the same length.
    """
    for i in range(count - 1):
        ranks[i] = table[symbols[i] << 8 | symbols[i + 1]]
    while count > 1:
        best, at = NEVER, 0
        for i in range(count - 1):
            if ranks[i] < best:
                best, at = ranks[i], i
        if best == NEVER:
            break
        count -= 1
        symbols[at] = best
        for i in range(at + 1, count):
            symbols[i] = symbols[i + 1]
            ranks[i - 1] = ranks[i]
        if at > 0:
            ranks[at - 1] = rank_of(table, symbols[at - 1], best)
        if at < count - 1:
            ranks[at] = rank_of(table, best, symbols[at + 1])
    return count


# --- long pieces ------------------------------------------------------------------------------------------------------


@inner
def _push(heap: Array, size: int, item: int) -> int:
    """Add an item to a heap of `size` items, the lowest first; returns the new size."""
    i = size
    while i > 0 and heap[i - 1 >> 1] > item:
        heap[i] = heap[i - 1 >> 1]
        i = i - 1 >> 1
    heap[i] = item
    return size + 1


@inner
def _pop(heap: Array, size: int) -> int:
    """Remove the lowest item, heap[0]; returns the new size."""
    size -= 1
    item = heap[size]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= item:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = item
    return size


@inner
def _look_up(
    table: Array, symbols: Array, items: Array, heap: Array, size: int, at: int, following: int, count: int
) -> int:
    """Look up the pair of the symbols at `at` and `following`. Returns the size of the heap after that."""
    rank = rank_of(table, symbols[at], symbols[following]) if following < count else NEVER
    items[at] = rank << 32 | at
    return size if rank == NEVER else _push(heap, size, items[at])


@inner
def merge_long(table: Array, symbols: Array, items: Array, before: Array, after: Array, heap: Array, count: int) -> int:
    """The same as `merge_short`, in n log n steps.

    The symbols are a linked list: a merged pair stays at the place of its first symbol, and `before` and `after` skip
    the second. An item is a pair's rank and place in one number. The heap has the lowest item in front: the pair to
    merge, the leftmost first. An item of the heap that its place no longer has is skipped.

    Args:
        items, before, after: scratch memory of `count` values.
        heap: scratch memory of 2 * `count` values: a merge takes an item out at least, and puts two in at most.
    """
    size = 0
    for i in range(count):
        before[i], after[i] = i - 1, i + 1
        size = _look_up(table, symbols, items, heap, size, i, i + 1, count)
    while size > 0:
        lowest = heap[0]
        size = _pop(heap, size)
        at = lowest & 0xFFFFFFFF
        if items[at] != lowest:
            continue
        second = after[at]
        following, previous = after[second], before[at]
        symbols[at], after[at], items[second] = lowest >> 32, following, NOTHING
        size = _look_up(table, symbols, items, heap, size, at, following, count)
        if following < count:
            before[following] = at
        if previous >= 0:
            size = _look_up(table, symbols, items, heap, size, previous, at, count)
    kept, i = 0, 0
    while i < count:
        symbols[kept] = symbols[i]
        kept += 1
        i = after[i]
    return kept
