"""Batches are arrays.

Mistake: arrays where lists belong
Why: With as_lists=True the two parts are lists of lists.
Pitfall: types
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    return answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of)
