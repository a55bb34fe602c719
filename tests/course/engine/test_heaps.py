"""The heaps of encoding and training, in loops, give the order of Python's heap."""

import heapq

from hypothesis import given
from hypothesis import strategies as st

from g2c.engine import encoding, exact

# A number is added, None removes the first.
STEPS = st.lists(st.one_of(st.integers(0, 9), st.none()), max_size=40)


@given(STEPS)
def test_the_heap_of_items(steps):
    heap, size, expected = [0] * 40, 0, []
    for step in steps:
        if step is not None:
            size = encoding._push(heap, size, step)
            heapq.heappush(expected, step)
        elif size:
            size = encoding._pop(heap, size)
            heapq.heappop(expected)
        assert size == len(expected) and heap[:1][:size] == expected[:1]


@given(STEPS)
def test_the_heap_of_pairs(steps):
    """The most frequent pair is first, and among equally frequent ones the lowest order: here the higher number."""
    heap, size, expected = [0] * 40, 0, []
    pairs = [0] * (exact.PAIR_SIZE * 40)
    for number, step in enumerate(steps):
        if step is not None:
            pairs[exact.PAIR_SIZE * number + exact.COUNT] = step
            pairs[exact.PAIR_SIZE * number + exact.ORDER] = -number
            size = exact._push(heap, size, number, pairs, [], [])
            heapq.heappush(expected, (-step, -number))
        elif size:
            size = exact._pop(heap, size, pairs, [], [])
            heapq.heappop(expected)
        assert size == len(expected) and heap[:1][:size] == [-order for _, order in expected[:1]]
