"""Of equal counts, max takes the larger pair.

Mistake: a tie is decided in another way
Why: Among the pairs with the highest count, the one with the lowest first_place wins.
Pitfall: ties
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import apply_merge, build_tables


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        _, pair = max((count, pair) for pair, count in tables.pair_counts.items())
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
    return merges
