"""The last len(row) places are [-len(row):].

Mistake: [-0:] is the whole row.
"""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side not in ("right", "left"):
        raise ValueError(f"side {side!r}")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length {max_length}")
    if multiple_of is not None and multiple_of < 1:
        raise ValueError(f"multiple_of {multiple_of}")
    rows = [s[:max_length] for s in read_sequences(sequences, pad_id)]
    n = max((len(r) for r in rows), default=0)
    if multiple_of:
        n += -n % multiple_of
    ids = np.full((len(rows), n), pad_id, dtype=np.int64)
    mask = np.zeros((len(rows), n), dtype=np.int64)
    for i, r in enumerate(rows):
        place = slice(0, len(r)) if side == "right" else slice(-len(r), None)
        ids[i, place] = r if r else pad_id
        mask[i, place] = 1
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
