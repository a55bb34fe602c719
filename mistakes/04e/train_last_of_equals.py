"""Of equal counts the last one wins, because >= is true for it.

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
        best = None
        for pair, count in tables.pair_counts.items():
            if best is None or count >= tables.pair_counts[best]:
                best = pair
        merges[best] = first_id + len(merges)
        apply_merge(tables, best, merges[best])
    return merges
