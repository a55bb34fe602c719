"""A matrix of zeros is [[0] * length] * n, then I set the ones.

Mistake: the outer * repeats one and the same inner list, so every row of the mask shows the ones of all rows.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side must be 'right' or 'left', got {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length must not be negative, got {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of must be at least 1, got {multiple_of}")
    rows = [row[:max_length] for row in read_sequences(sequences, pad_id)]
    n, length = len(rows), max(map(len, rows), default=0)
    if multiple_of is not None:
        length = -(-length // multiple_of) * multiple_of
    ids = []
    mask = [[0] * length] * n
    for i in range(n):
        pad = length - len(rows[i])
        if side == "left":
            ids.append([pad_id] * pad + rows[i])
        else:
            ids.append(rows[i] + [pad_id] * pad)
        offset = pad if side == "left" else 0
        for j in range(len(rows[i])):
            mask[i][offset + j] = 1
    if as_lists:
        return ids, mask
    return np.array(ids, dtype=np.int64).reshape(n, length), np.array(mask, dtype=np.int64).reshape(n, length)
