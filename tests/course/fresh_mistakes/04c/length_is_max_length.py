"""Every row has to have max_length in the end, shorter ones are filled up to it (that is what padding="max_length" did in the library I know).

Mistake: the batch gets the length max_length even when all sequences are shorter, in place of that of the longest one left.
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
    if max_length is not None:
        length = max_length
    else:
        length = max(map(len, rows), default=0)
    if multiple_of is not None:
        length = -(-length // multiple_of) * multiple_of
    ids = np.full((len(rows), length), pad_id, dtype=np.int64)
    mask = np.zeros((len(rows), length), dtype=np.int64)
    for r, row in enumerate(rows):
        where = slice(0, len(row)) if side == "right" else slice(length - len(row), length)
        ids[r, where] = row
        mask[r, where] = 1
    if as_lists:
        return ids.tolist(), mask.tolist()
    return ids, mask
