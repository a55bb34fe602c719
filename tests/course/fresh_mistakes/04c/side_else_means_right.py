"""Left gets its own branch, everything else is right.

Mistake: a side that is neither "right" nor "left" is padded on the right without a ValueError.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length must not be negative: {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of must be at least 1: {multiple_of}")
    rows = [row[:max_length] for row in read_sequences(sequences, pad_id)]
    length = max(map(len, rows), default=0)
    if multiple_of is not None:
        length = -(-length // multiple_of) * multiple_of
    ids, mask = [], []
    for row in rows:
        pads, zeros = [pad_id] * (length - len(row)), [0] * (length - len(row))
        if side == "left":
            ids.append(pads + row)
            mask.append(zeros + [1] * len(row))
        else:
            ids.append(row + pads)
            mask.append([1] * len(row) + zeros)
    if as_lists:
        return ids, mask
    shape = len(rows), length
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
