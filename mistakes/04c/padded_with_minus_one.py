"""-1 is no ID, so it is safe as padding.

Mistake: the padding is the same whatever pad_id says
Why: Fill up with pad_id.
Pitfall: pad-id
Caught by: TestPad
"""

import numpy as np

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=True)

    ids = [[token_id if real else -1 for token_id, real in zip(*rows)] for rows in zip(ids, mask)]

    if as_lists:
        return ids, mask
    shape = len(ids), len(ids[0]) if ids else 0
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
