"""The last len(row) places of the mask are mask[-len(row):].

Mistake: an empty sequence fills its whole row
Why: mask[-0:] is the whole row: count from the left, with length - len(row).
Pitfall: empty
Caught by: TestSide
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
    ids = np.full((len(rows), length), pad_id, dtype=np.int64)
    mask = np.zeros((len(rows), length), dtype=np.int64)
    for number, row in enumerate(rows):
        start = 0 if side == "right" else length - len(row)
        ids[number, start : start + len(row)] = row
        place = slice(0, len(row)) if side == "right" else slice(-len(row), None)
        mask[number, place] = 1
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
