"""max over the dictionary takes the first of equals, as in module 04.

Mistake: a tie goes to the older key of pair_counts
Why: A new pair may stand before it in the corpus: compare by first_place.
Pitfall: ties
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import apply_merge, build_tables


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        pair = max(tables.pair_counts, key=tables.pair_counts.get)
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
    return merges
