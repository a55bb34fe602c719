"""After each merge I build the tables anew, so that they are right for sure.

Mistake: the tables are built again for each merge
Why: Rebuilding counts everything anew: apply_merge keeps the tables up to date.
Pitfall: only-touched
Caught by: TestWork
"""

from g2c.solutions.incremental import apply_merge, build_tables
from g2c.tokenizer.incremental import first_place


def train_incremental(word_counts, num_merges, *, first_id=256):
    merges = {}
    while True:
        tables = build_tables(word_counts)
        for pair, new_id in merges.items():
            apply_merge(tables, pair, new_id)
        if len(merges) >= num_merges or not tables.pair_counts:
            return merges
        highest = max(tables.pair_counts.values())
        tied = [pair for pair, count in tables.pair_counts.items() if count == highest]
        pair = min(tied, key=lambda candidate: first_place(tables, candidate))
        merges[pair] = first_id + len(merges)
