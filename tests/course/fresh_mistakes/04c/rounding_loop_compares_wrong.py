"""I count the length up until the remainder is zero.

Mistake: the loop asks for multiple_of % length (operands swapped) and so ends at the wrong length or never, and divides by zero when all rows are empty.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side != "right" and side != "left":
        raise ValueError("unknown side " + repr(side))
    if max_length is not None:
        if max_length < 0:
            raise ValueError(f"max_length={max_length} is negative")
    if multiple_of is not None:
        if multiple_of <= 0:
            raise ValueError(f"multiple_of={multiple_of} is not positive")
    rows = [row[:max_length] for row in read_sequences(sequences, pad_id)]
    length = max(map(len, rows), default=0)
    if multiple_of is not None:
        while multiple_of % length != 0:
            length += 1
    ids, mask = [], []
    for row in rows:
        pad = length - len(row)
        left, right = (pad, 0) if side == "left" else (0, pad)
        ids.append([pad_id] * left + row + [pad_id] * right)
        mask.append([0] * left + [1] * len(row) + [0] * right)
    if as_lists:
        return ids, mask
    shape = len(rows), length
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
