"""The mask first, with one comparison of arrays; then all IDs are put into its places at once."""

import numpy as np

from g2c.tokenizer.batching import read_sequences


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if side != "right" and side != "left":
        raise ValueError(f"side={side!r} is neither 'right' nor 'left'.")
    for name, value, least in (("max_length", max_length, 0), ("multiple_of", multiple_of, 1)):
        if value is not None and value < least:
            raise ValueError(f"{name}={value} is below {least}.")
    rows = read_sequences(sequences, pad_id)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    if max_length is not None:
        lengths = np.minimum(lengths, max_length)
    length = lengths.max(initial=0)
    length += -length % (multiple_of or 1)
    mask = np.arange(length) < lengths[:, None]
    if side == "left":
        mask = mask[:, ::-1]
    ids = np.full(mask.shape, pad_id)
    ids[mask] = [token_id for row, count in zip(rows, lengths) for token_id in row[:count]]
    mask = mask.astype(np.int64)
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
