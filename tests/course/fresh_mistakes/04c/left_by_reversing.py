"""Left padding is right padding mirrored, so I reverse the finished row with [::-1].

Mistake: the whole row is turned round, so with "left" the real IDs stand in the wrong order as well.
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
    length = max(map(len, rows), default=0)
    if multiple_of is not None:
        length = -(-length // multiple_of) * multiple_of
    ids, mask = [], []
    for row in rows:
        padded = row + [pad_id] * (length - len(row))
        ones = [1] * len(row) + [0] * (length - len(row))
        if side == "left":
            padded = padded[::-1]
            ones = ones[::-1]
        ids.append(padded)
        mask.append(ones)
    if as_lists:
        return ids, mask
    shape = len(rows), length
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
