"""np.zeros for both, then I write the rows in.

Mistake: np.zeros and np.full with a float give float64 arrays, not int64 (lists hold floats, too).
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
        length = int(np.ceil(length / multiple_of)) * multiple_of
    ids = np.zeros((len(rows), length)) + pad_id
    mask = np.zeros((len(rows), length))
    for i, row in enumerate(rows):
        start = 0 if side == "right" else length - len(row)
        ids[i, start : start + len(row)] = row
        mask[i, start : start + len(row)] = 1
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
