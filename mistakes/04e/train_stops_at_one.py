"""A pair that occurs once is not worth a token.

Mistake: training stops although a pair is left
Why: A pair that was seen once is a pair too.
Pitfall: no-pair-left
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        highest = max(tables.pair_counts.values())
        if highest == 1:
            break
        tied = [pair for pair, count in tables.pair_counts.items() if count == highest]
        pair = min(tied, key=lambda candidate: first_place(tables, candidate))
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
    return merges
