"""An ID stands for a pair.

Mistake: the merges are the other way round
Why: The pair is the key, the new ID the value.
Pitfall: first-id
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import train_incremental as right


def train_incremental(word_counts, num_merges, *, first_id=256):
    return {new_id: pair for pair, new_id in right(word_counts, num_merges, first_id=first_id).items()}
