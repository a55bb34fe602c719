"""Every row ends with padding.

Mistake: one padding too many
Why: The longest row needs none.
Pitfall: length
Caught by: TestPad
"""

import numpy as np

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=True)

    ids = [[pad_id] + row if side == "left" else row + [pad_id] for row in ids]
    mask = [[0] + row if side == "left" else row + [0] for row in mask]

    if as_lists:
        return ids, mask
    shape = len(ids), len(ids[0]) if ids else 0
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
