"""As long as merges isn't longer than num_merges.

Mistake: <= learns one merge more than asked for.
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) <= num_merges and tables.pair_counts:
        highest = max(tables.pair_counts.values())
        tied = [p for p, n in tables.pair_counts.items() if n == highest]
        pair = min(tied, key=lambda p: first_place(tables, p))
        merges[pair] = first_id + len(merges)
        apply_merge(tables, pair, merges[pair])
    return merges
