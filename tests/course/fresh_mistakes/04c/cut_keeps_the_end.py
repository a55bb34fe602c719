"""With max_length I keep max_length IDs: row[-max_length:].

Mistake: the last IDs are kept in place of the first (and -0 keeps them all).
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
        rows = [row[-max_length:] for row in rows]
    length = max(map(len, rows), default=0)
    if multiple_of is not None:
        while length % multiple_of != 0:
            length += 1
    ids, mask = [], []
    for row in rows:
        filler = [pad_id] * (length - len(row))
        zeros = [0] * len(filler)
        ones = [1] * len(row)
        ids.append(filler + row if side == "left" else row + filler)
        mask.append(zeros + ones if side == "left" else ones + zeros)
    if not as_lists:
        ids = np.array(ids, dtype=np.int64).reshape(len(rows), length)
        mask = np.array(mask, dtype=np.int64).reshape(len(rows), length)
    return ids, mask
