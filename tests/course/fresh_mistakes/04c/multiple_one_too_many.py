"""Round up: divide, add one, multiply.

Mistake: a length that is a multiple already is rounded up to the next one, a whole block of padding too much.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in {"left", "right"}:
        raise ValueError(f"side={side!r} is neither left nor right")
    if not (max_length is None or max_length >= 0):
        raise ValueError(f"bad max_length: {max_length}")
    if not (multiple_of is None or multiple_of >= 1):
        raise ValueError(f"bad multiple_of: {multiple_of}")
    rows = [row[:max_length] for row in read_sequences(sequences, pad_id)]
    length = max(map(len, rows), default=0)
    if multiple_of is not None:
        length = (length // multiple_of + 1) * multiple_of
    ids, mask = [], []
    for row in rows:
        pad = length - len(row)
        if side == "right":
            ids.append(row + [pad_id] * pad)
            mask.append([1] * len(row) + [0] * pad)
        else:
            ids.append([pad_id] * pad + row)
            mask.append([0] * pad + [1] * len(row))
    if as_lists:
        return ids, mask
    shape = (len(rows), length)
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
