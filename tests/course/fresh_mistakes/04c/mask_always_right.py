"""Padding on the left for the ids; for the mask it is len(row) ones and the rest zeros.

Mistake: side is not looked at for the mask, with "left" the ones stand over the padding.
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
    length = max([len(row) for row in rows] + [0])
    if multiple_of is not None:
        length = (length + multiple_of - 1) // multiple_of * multiple_of
    ids = []
    masks = []
    for row in rows:
        n_pad = length - len(row)
        if side == "left":
            ids.append([pad_id] * n_pad + row)
        else:
            ids.append(row + [pad_id] * n_pad)
        masks.append([1] * len(row) + [0] * n_pad)
    if as_lists:
        return ids, masks
    return (
        np.array(ids, dtype=np.int64).reshape(len(rows), length),
        np.array(masks, dtype=np.int64).reshape(len(rows), length),
    )
