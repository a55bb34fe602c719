"""The mask is for the model that comes later, so I fill it with ones for now.

Mistake: the mask is 1 everywhere
Why: Where padding stands it has to be 0.
Pitfall: mask
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of)
    mask = mask * 0 + 1
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
