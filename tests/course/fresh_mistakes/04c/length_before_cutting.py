"""First the longest length, then I cut and fill each row in the loop.

Mistake: the length of the batch is taken before the sequences are cut, so the rectangle is too wide with max_length.
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
    rows = read_sequences(sequences, pad_id)
    longest = max((len(r) for r in rows), default=0)
    if multiple_of is not None:
        longest = -(-longest // multiple_of) * multiple_of
    ids, mask = [], []
    for row in rows:
        row = row[:max_length]
        padding = [pad_id] * (longest - len(row))
        if side == "left":
            ids.append(padding + row)
            mask.append([0] * len(padding) + [1] * len(row))
        else:
            ids.append(row + padding)
            mask.append([1] * len(row) + [0] * len(padding))
    if as_lists:
        return ids, mask
    shape = (len(rows), longest)
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
