"""I merge, and then ask whether there are enough merges.

Mistake: one merge is learned although none is wanted
Why: num_merges may be 0: ask before the first merge.
Pitfall: no-pair-left
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while tables.pair_counts:
        highest = max(tables.pair_counts.values())
        tied = [pair for pair, count in tables.pair_counts.items() if count == highest]
        pair = min(tied, key=lambda candidate: first_place(tables, candidate))
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
        if len(merges) >= num_merges:
            break
    return merges
