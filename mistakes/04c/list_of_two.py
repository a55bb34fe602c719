"""Two things go back, so I put them into a list.

Mistake: the two parts are not a tuple
Why: Return ids and mask, in this order: return ids, mask.
Pitfall: types
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    return list(answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists))
