"""The sequences are lists, so I can extend each one with the padding right away.

Mistake: no copy is made (read_sequences is not used): the caller's lists are cut and padded, and an array as a sequence fails.
"""

import numpy as np


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side must be 'right' or 'left', got {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length must not be negative, got {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of must be at least 1, got {multiple_of}")
    for row in sequences:
        if max_length is not None:
            del row[max_length:]
    length = max(map(len, sequences), default=0)
    if multiple_of is not None:
        length = -(-length // multiple_of) * multiple_of
    mask = []
    for row in sequences:
        n = len(row)
        padding = [pad_id] * (length - n)
        if side == "left":
            row[0:0] = padding
            mask.append([0] * (length - n) + [1] * n)
        else:
            row += padding
            mask.append([1] * n + [0] * (length - n))
    if as_lists:
        return sequences, mask
    shape = len(sequences), length
    return np.array(sequences, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
