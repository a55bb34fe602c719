"""if max_length: cut, otherwise leave as it is.

Mistake: max_length=0 counts as false and is treated like None, nothing is cut.
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
    rows = read_sequences(sequences, pad_id)
    if max_length:
        rows = [row[:max_length] for row in rows]
    length = max(map(len, rows), default=0)
    if multiple_of:
        length = -(-length // multiple_of) * multiple_of
    ids, mask = [], []
    for row in rows:
        pad = length - len(row)
        if side == "left":
            ids.append([pad_id] * pad + row)
            mask.append([0] * pad + [1] * len(row))
        else:
            ids.append(row + [pad_id] * pad)
            mask.append([1] * len(row) + [0] * pad)
    if as_lists:
        return ids, mask
    return (
        np.array(ids, dtype=np.int64).reshape(len(rows), length),
        np.array(mask, dtype=np.int64).reshape(len(rows), length),
    )
