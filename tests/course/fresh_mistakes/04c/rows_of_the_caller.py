"""read_sequences checks; then I pad the rows.

Mistake: the caller's lists are padded.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of {multiple_of}")
    read_sequences(sequences, pad_id)
    rows = [s if max_length is None else s[:max_length] for s in sequences]
    length = max([len(r) for r in rows], default=0)
    while multiple_of and length % multiple_of:
        length += 1
    mask = []
    for i, row in enumerate(rows):
        n = len(row)
        row = row if isinstance(row, list) else list(row)
        rows[i] = row
        if side == "right":
            row += [pad_id] * (length - n)
            mask.append([1] * n + [0] * (length - n))
        else:
            row[:0] = [pad_id] * (length - n)
            mask.append([0] * (length - n) + [1] * n)
    if as_lists:
        return rows, mask
    shape = (len(rows), length)
    return np.array(rows, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
