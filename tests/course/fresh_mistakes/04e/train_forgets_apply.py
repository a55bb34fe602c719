"""I choose the best pair, enter it in merges and go on until there are enough.

Mistake: apply_merge is never called, so the same pair is best every time; merges stays at one entry and the while loop never ends.
"""

from g2c.solutions.incremental import build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    tables = build_tables(word_counts)
    merges = {}
    while len(merges) < num_merges and tables.pair_counts:
        top = max(tables.pair_counts.values())
        ties = [p for p, c in tables.pair_counts.items() if c == top]
        pair = min(ties, key=lambda p: first_place(tables, p))
        merges[pair] = first_id + len(merges)
    return merges
