"""Padding is 0 and 0 is false, so astype(bool) tells what is real.

Mistake: the mask is made from the truth of the IDs
Why: 0 counts as false, but the ID 0 is real: make it from the lengths.
Pitfall: mask
Caught by: TestMask
"""

import numpy as np

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of)
    mask = ids.astype(bool).astype(np.int64)
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
