"""max keeps the first of equals and the dictionary is in the order of first appearance, as in module 04.

Mistake: the order of pair_counts changes when pairs are removed and put in again, so ties are not decided by first_place.
"""

from g2c.solutions.incremental import apply_merge, build_tables


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    for i in range(num_merges):
        if not tables.pair_counts:
            break
        pair = max(tables.pair_counts, key=tables.pair_counts.get)
        merges[pair] = first_id + i
        apply_merge(tables, pair, first_id + i)
    return merges
