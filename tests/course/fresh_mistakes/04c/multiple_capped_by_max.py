"""Nothing may be longer than max_length, so after rounding I take the smaller of the two.

Mistake: the rounded length is limited to max_length, although rounding up may go beyond it.
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
        length = -(-length // multiple_of) * multiple_of
    if max_length is not None:
        length = min(length, max_length)
    ids = np.full((len(rows), length), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        n = len(row)
        if side == "right":
            ids[i, :n], mask[i, :n] = row, 1
        else:
            ids[i, length - n :], mask[i, length - n :] = row, 1
    if as_lists:
        return ids.tolist(), mask.tolist()
    return ids, mask
