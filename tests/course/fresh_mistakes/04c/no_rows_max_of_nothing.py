"""The length is max(len(row) for row in rows), I didn't think about a batch without sequences.

Mistake: max of an empty sequence raises ValueError for a batch with no sequence, in place of shape (0, 0).
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
    length = max(len(row) for row in rows)
    if multiple_of is not None:
        length = -(-length // multiple_of) * multiple_of
    ids = [row[:] for row in rows]
    mask = [[1] * len(row) for row in rows]
    for row, m in zip(ids, mask):
        n = length - len(row)
        if side == "left":
            row[:0] = [pad_id] * n
            m[:0] = [0] * n
        else:
            row.extend([pad_id] * n)
            m.extend([0] * n)
    if as_lists:
        return ids, mask
    return np.array(ids, dtype=np.int64), np.array(mask, dtype=np.int64)
