"""A dictionary from the new ID to its pair reads well.

Mistake: the merges are the other way round
Why: The pair is the key, the new ID the value.
Pitfall: first-id
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        highest = max(tables.pair_counts.values())
        tied = [pair for pair, count in tables.pair_counts.items() if count == highest]
        pair = min(tied, key=lambda candidate: first_place(tables, candidate))
        merges[first_id + len(merges)] = pair
        apply_merge(tables, pair, first_id + len(merges) - 1)
    return merges
