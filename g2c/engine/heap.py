"""A heap: the first of many items, found in a few steps."""

from collections.abc import Callable

from g2c.engine.compiled import Array, shared


def heap_of(precedes: Callable[..., bool]) -> tuple[Callable[..., int], Callable[..., int]]:
    """Return the functions `push` and `pop` of a heap, whose first item precedes all others.

    They take and return the number of items. More arguments are for `precedes`, which compares two items.
    """

    @shared
    def push(heap: Array, size: int, item: int, *more: Array) -> int:
        i = size
        while i > 0 and precedes(item, heap[i - 1 >> 1], *more):
            heap[i] = heap[i - 1 >> 1]
            i = i - 1 >> 1
        heap[i] = item
        return size + 1

    @shared
    def pop(heap: Array, size: int, *more: Array) -> int:
        size -= 1
        item, i = heap[size], 0
        while 2 * i + 1 < size:
            child = 2 * i + 1
            if child + 1 < size and precedes(heap[child + 1], heap[child], *more):
                child += 1
            if not precedes(heap[child], item, *more):
                break
            heap[i] = heap[child]
            i = child
        heap[i] = item
        return size

    return push, pop
