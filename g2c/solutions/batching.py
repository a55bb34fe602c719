"""Answer key of module 04c. What the functions take and return is documented in g2c/tokenizer/batching.py."""

import numpy as np

from g2c.tokenizer.batching import IGNORED


def windows(ids, length, *, stride=None):
    if stride is None:
        stride = length
    for name, value in (("length", length), ("stride", stride)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, but it is {value}.")
    # The target of a window's last input is one further on, so a window takes length + 1 IDs.
    starts = range(0, len(ids) - length, stride)
    inputs = [ids[start : start + length] for start in starts]
    targets = [ids[start + 1 : start + length + 1] for start in starts]
    # Without any row, numpy could not infer the shape.
    shape = len(starts), length
    return np.array(inputs, dtype=np.int64).reshape(shape), np.array(targets, dtype=np.int64).reshape(shape)


def loss_mask(ids, assistant_id, end_id):
    mask = []
    writes = False
    # At each ID but the last, the next one is the target, so the end marker itself still counts.
    for token_id in ids[:-1]:
        if token_id == assistant_id:
            writes = True
        elif token_id == end_id:
            writes = False
        mask.append(int(writes))
    return np.array(mask, dtype=np.int64)


def document_windows(ids, length, separator_id):
    if length < 1:
        raise ValueError(f"length must be at least 1, but it is {length}.")
    ids = np.array(ids, dtype=np.int64)
    separators = np.flatnonzero(ids == separator_id).tolist()
    bounds = [0, *separators, len(ids) - 1]
    inputs, targets = [], []
    for first, last in zip(bounds, bounds[1:]):
        document = ids[first : last + 1].tolist()
        # Two separators with nothing between them enclose no document.
        if set(document) <= {separator_id}:
            continue
        # The last ID is only a target, so no window starts there.
        for start in range(0, len(document) - 1, length):
            row = document[start : start + length + 1]
            padding = length + 1 - len(row)
            inputs.append(row[:-1] + [separator_id] * padding)
            targets.append(row[1:] + [IGNORED] * padding)
    shape = len(inputs), length
    return np.array(inputs, dtype=np.int64).reshape(shape), np.array(targets, dtype=np.int64).reshape(shape)
