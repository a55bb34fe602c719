"""Views of numpy for the windows, cumulative sums for the mask, and padded documents that windows cuts."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from g2c.tokenizer.batching import IGNORED


def windows(ids, length, *, stride=None):
    stride = length if stride is None else stride
    if length < 1 or stride < 1:
        raise ValueError(f"length={length} and stride={stride}: neither may be below 1.")
    if len(ids) <= length:
        return np.empty((0, length), dtype=np.int64), np.empty((0, length), dtype=np.int64)
    rows = sliding_window_view(np.asarray(ids, dtype=np.int64), length + 1)[::stride]
    return rows[:, :-1].copy(), rows[:, 1:].copy()


def loss_mask(ids, assistant_id, end_id):
    inputs = np.asarray(ids, dtype=np.int64)[:-1]
    places = np.arange(len(inputs))
    begun = np.maximum.accumulate(np.where(inputs == assistant_id, places, -1))
    ended = np.maximum.accumulate(np.where(inputs == end_id, places, -1))
    return (begun > ended).astype(np.int64)


def document_windows(ids, length, separator_id):
    if length < 1:
        raise ValueError(f"length={length} is below 1.")
    documents, document = [], []
    for token_id in map(int, ids):
        document.append(token_id)
        if token_id == separator_id:
            documents.append(document)
            document = [separator_id]
    documents.append(document)
    inputs, targets = [np.empty((0, length), dtype=np.int64)], [np.empty((0, length), dtype=np.int64)]
    for document in documents:
        if any(token_id != separator_id for token_id in document):
            missing = -(len(document) - 1) % length
            inputs.append(windows(document[:-1] + [separator_id] * (missing + 1), length)[0])
            targets.append(windows(document + [IGNORED] * missing, length)[1])
    return np.concatenate(inputs), np.concatenate(targets)
