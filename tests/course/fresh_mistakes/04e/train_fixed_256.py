"""New IDs begin at 256, the number after the bytes.

Mistake: first_id is ignored, the IDs always start at 256.
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        most = max(tables.pair_counts.values())
        tied = [pair for pair, count in tables.pair_counts.items() if count == most]
        pair = min(tied, key=lambda p: first_place(tables, p))
        new_id = 256 + len(merges)
        merges[pair] = new_id
        apply_merge(tables, pair, new_id)
    return merges
