"""A mask hides something, so it is 1 where there is something to hide.

Mistake: the mask is the other way round
Why: 1 is for what is real, 0 for padding.
Pitfall: mask
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of)
    mask = 1 - mask
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
