"""np.array makes arrays of any lists.

Mistake: an empty batch does not have the shape (0, 0)
Why: np.array([]) has one axis: reshape to (rows, length).
Pitfall: empty
Caught by: TestEmpty
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side: {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length: {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of: {multiple_of}")
    rows = [row[:max_length] for row in read_sequences(sequences, pad_id)]
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
    return np.array(ids, dtype=np.int64), np.array(mask, dtype=np.int64)
