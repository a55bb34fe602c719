"""Counts may become frequencies later, so I begin at 0.0.

Mistake: the counts are floats
Why: A count is a whole number: begin at 0.
Pitfall: frequency
Caught by: TestBuildTables
"""

from g2c.solutions.incremental import build_tables as answer_key


def build_tables(word_counts):
    tables = answer_key(word_counts)
    tables.pair_counts = {pair: float(count) for pair, count in tables.pair_counts.items()}
    return tables
