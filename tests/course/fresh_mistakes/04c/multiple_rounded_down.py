"""length // m * m is the multiple of m.

Mistake: It rounds down, and rows become longer than the batch.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side is {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length is {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of is {multiple_of}")
    rows = read_sequences(sequences, pad_id)
    if max_length is not None:
        rows = [row[:max_length] for row in rows]
    length = max((len(row) for row in rows), default=0)
    if multiple_of is not None:
        length = length // multiple_of * multiple_of
    ids, mask = [], []
    for row in rows:
        n = length - len(row)
        if side == "right":
            ids.append(row + [pad_id] * n)
            mask.append([1] * len(row) + [0] * n)
        else:
            ids.append([pad_id] * n + row)
            mask.append([0] * n + [1] * len(row))
    if as_lists:
        return ids, mask
    shape = (len(rows), length)
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
