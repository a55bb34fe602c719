"""numpy makes the rectangle, and fills up what is missing.

Mistake: an array is made of rows of different lengths
Why: Pad the rows first, then make the array.
Pitfall: types
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
    ids = np.array(rows, dtype=np.int64)
    mask = np.ones_like(ids)
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
