"""I append the padding to each list until it is long enough.

Mistake: the list that was passed is changed
Why: It belongs to the caller. Build a new list and return that.
Pitfall: mutated-argument
Caught by: TestPad
"""

import numpy as np


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side: {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length: {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of: {multiple_of}")
    length = max((len(row) for row in sequences), default=0)
    mask = []
    for row in sequences:
        mask.append([1] * len(row) + [0] * (length - len(row)))
        if isinstance(row, list):
            row.extend([pad_id] * (length - len(row)))
    ids = [[int(i) for i in row] + [pad_id] * (length - len(row)) for row in sequences]
    if as_lists:
        return ids, mask
    shape = len(ids), length
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
