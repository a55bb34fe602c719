"""A list times a number makes the rectangle in one go.

Mistake: all rows are one and the same list
Why: [[0] * 3] * 2 holds the same row twice: create a new list for each sequence.
Pitfall: one-row
Caught by: TestPad
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side: {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length: {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of: {multiple_of}")
    rows = [row[:max_length] for row in read_sequences(sequences, pad_id)]
    length = max(map(len, rows), default=0)
    if multiple_of:
        length = -(-length // multiple_of) * multiple_of
    ids = [[pad_id] * length] * len(rows)
    mask = [[0] * length] * len(rows)
    for number, row in enumerate(rows):
        start = 0 if side == "right" else length - len(row)
        ids[number][start : start + len(row)] = row
        mask[number][start : start + len(row)] = [1] * len(row)
    if as_lists:
        return ids, mask
    shape = len(rows), length
    return np.array(ids, dtype=np.int64).reshape(shape), np.array(mask, dtype=np.int64).reshape(shape)
