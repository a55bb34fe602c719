"""The loop takes the best pair, again and again.

Mistake: apply_merge is not called
Why: train_incremental is the loop around build_tables and apply_merge: each merge has to be applied.
Pitfall: only-touched
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    ranked = sorted(tables.pair_counts, key=lambda pair: (-tables.pair_counts[pair], first_place(tables, pair)))
    return {pair: first_id + number for number, pair in enumerate(ranked[:num_merges])}
