"""Among equals I take the lowest pair.

Mistake: ties are decided by the IDs in the pair, not by the place where the pair first stands in the corpus.
"""

from g2c.solutions.incremental import apply_merge, build_tables


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    next_id = first_id
    while tables.pair_counts and len(merges) < num_merges:
        pair = min(tables.pair_counts, key=lambda p: (-tables.pair_counts[p], p))
        merges[pair] = next_id
        apply_merge(tables, pair, next_id)
        next_id += 1
    return merges
