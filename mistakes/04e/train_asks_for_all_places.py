"""Sorted by count and place, the best pair comes first.

Mistake: first_place is asked for pairs that cannot win
Why: Collect the pairs with the highest count first.
Pitfall: ties
Caught by: TestWork
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        counts = tables.pair_counts
        pair = min(counts, key=lambda candidate: (-counts[candidate], first_place(tables, candidate)))
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
    return merges
