"""I merge and then look whether that is enough.

Mistake: num_merges=0 gives one merge.
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while tables.pair_counts:
        highest = max(tables.pair_counts.values())
        pair = min((p for p, n in tables.pair_counts.items() if n == highest), key=lambda p: first_place(tables, p))
        new_id = first_id + len(merges)
        merges[pair] = new_id
        apply_merge(tables, pair, new_id)
        if len(merges) >= num_merges:
            break
    return merges
