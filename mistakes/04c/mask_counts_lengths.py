"""The mask says how many IDs are real.

Mistake: the mask is not filled up
Why: It has the shape of the IDs, with 1 for each real ID and 0 for padding.
Pitfall: mask
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists)
    return ids, [sum(row) for row in mask] if as_lists else mask.sum(axis=1)
