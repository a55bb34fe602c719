"""The mask is 1 wherever the ID isn't the padding ID, numpy does that in one line.

Mistake: the mask is made by comparing with pad_id, so a real token that has this ID gets a 0.
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
    if max_length is not None:
        rows = [row[:max_length] for row in rows]
    length = max((len(row) for row in rows), default=0)
    if multiple_of is not None and length % multiple_of:
        length += multiple_of - length % multiple_of
    ids = np.full((len(rows), length), pad_id, dtype=np.int64)
    for i, row in enumerate(rows):
        if side == "right":
            ids[i, : len(row)] = row
        else:
            ids[i, length - len(row) :] = row
    mask = (ids != pad_id).astype(np.int64)
    if as_lists:
        return ids.tolist(), mask.tolist()
    return ids, mask
