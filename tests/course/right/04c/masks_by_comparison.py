"""The mask by comparing column numbers with lengths, the IDs by assigning to the mask, divmod for rounding."""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(
    sequences,
    pad_id,
    *,
    side="right",
    max_length=None,
    multiple_of=None,
    as_lists=False,
):
    if side != "left" and side != "right":
        raise ValueError(f"side={side!r}")
    if max_length is not None and not max_length >= 0:
        raise ValueError(f"max_length={max_length}")
    if multiple_of is not None and not multiple_of >= 1:
        raise ValueError(f"multiple_of={multiple_of}")
    rows = [row if max_length is None else row[:max_length] for row in read_sequences(sequences, pad_id)]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    whole, rest = divmod(int(lengths.max(initial=0)), multiple_of or 1)
    columns = np.arange((whole + (rest > 0)) * (multiple_of or 1))
    if side == "left":
        columns = columns[::-1]
    real = columns[None, :] < lengths[:, None]
    ids = np.full(real.shape, pad_id, dtype=np.int64)
    ids[real] = [token_id for row in rows for token_id in row]
    mask = real.astype(np.int64)
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
