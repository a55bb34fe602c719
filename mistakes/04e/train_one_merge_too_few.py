"""The first merge is number 1.

Mistake: one merge too many or too few
Why: Go on while there are fewer than num_merges.
Pitfall: no-pair-left
Caught by: TestTrainIncremental
"""

from g2c.solutions.incremental import train_incremental as right


def train_incremental(word_counts, num_merges, *, first_id=256):
    return right(word_counts, max(num_merges - 1, 0), first_id=first_id)
