"""A row and its padding are joined with a plus.

Mistake: a list is added to an array
Why: numpy adds element by element there: read_sequences turns arrays into lists.
Pitfall: types
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
    rows = [row if max_length is None else row[:max_length] for row in sequences]
    length = max(map(len, rows), default=0)
    if multiple_of:
        length = -(-length // multiple_of) * multiple_of
    ids, mask = [], []
    for row in rows:
        padding = length - len(row)
        if side == "right":
            ids.append(row + [pad_id] * padding)
            mask.append([1] * len(row) + [0] * padding)
        else:
            ids.append([pad_id] * padding + row)
            mask.append([0] * padding + [1] * len(row))
    if as_lists:
        return ids, mask
    shape = len(rows), length
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
