"""num_merges times the same three steps, so a for loop.

Mistake: it is not checked whether a pair is left, max of an empty dictionary raises ValueError when the corpus runs out of pairs.
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    for step in range(num_merges):
        best_count = max(tables.pair_counts.values())
        candidates = [p for p in tables.pair_counts if tables.pair_counts[p] == best_count]
        pair = sorted(candidates, key=lambda p: first_place(tables, p))[0]
        new_id = first_id + step
        merges[pair] = new_id
        apply_merge(tables, pair, new_id)
    return merges
