"""On the left, what is too long is cut on the left.

Mistake: with side='left' the last IDs are kept.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side must be 'right' or 'left', but it is {side!r}.")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length must not be negative, but it is {max_length}.")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of must be at least 1, but it is {multiple_of}.")
    # Slicing up to None keeps everything, so max_length=None needs no special case.
    rows = [
        (sequence[:max_length] if side == "right" or max_length is None else sequence[::-1][:max_length][::-1])
        for sequence in read_sequences(sequences, pad_id)
    ]
    length = max(map(len, rows), default=0)
    if multiple_of is not None:
        # Floor division of the negative number rounds up; a length that is already a multiple does not change.
        length = -(-length // multiple_of) * multiple_of
    ids, mask = [], []
    for row in rows:
        # The mask, too, follows from the length: a real token may have the ID that is used for padding.
        padding = length - len(row)
        before, after = (padding, 0) if side == "left" else (0, padding)
        ids.append([pad_id] * before + row + [pad_id] * after)
        mask.append([0] * before + [1] * len(row) + [0] * after)
    if as_lists:
        return ids, mask
    # Without any row, numpy could not infer the shape.
    shape = len(rows), length
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
