"""Module 04c: from token IDs to what a language model is trained on. You complete this file.

    IDs        12  7 31  5 90  4 18     a corpus, or a conversation

    inputs     12  7 31 |  5 90  4      the model reads these, a window of 3 at a time
    targets     7 31  5 | 90  4 18      and predicts these: the same, one token later

A target of -100 does not count. The exercises cut a stream into windows, say which targets of a conversation count, and
keep documents apart. pad_batch, which is given, pads sequences of different lengths into a rectangle. Work from top to
bottom, with the tests beside you:

    pytest tests/test_batching.py
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from g2c.tokenizer.checks import is_integer

IGNORED = -100
"""The target where there is nothing to predict. PyTorch's cross_entropy ignores it by default."""


def windows(
    ids: Sequence[int] | NDArray[np.integer], length: int, *, stride: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut a stream of token IDs into windows: inputs, and their targets, one token later.

    1. If `stride` is None, it is `length`: each window starts where the last one ended.
    2. If `length` or `stride` is below 1, raise a ValueError that names the argument and its value.
    3. Windows start at 0, stride, 2 * stride and so on, as long as every input of the window has a target in `ids`.
    4. From each start, the inputs are the next `length` IDs. The targets are the `length` IDs from start + 1 on.
    5. Make an array of all inputs and one of all targets, both int64 and of shape (number of windows, length). Without
       any window, the shape is (0, length).

    Args:
        ids: the stream, a list or an array. It is only read, and no array that you return shares memory with it.
        length: tokens per window.
        stride: tokens from one start to the next. Below `length`, windows overlap.

    Returns (inputs, targets).

    >>> inputs, targets = windows([12, 7, 31, 5, 90, 4, 18], 3)
    >>> inputs.tolist()
    [[12, 7, 31], [5, 90, 4]]
    >>> targets.tolist()
    [[7, 31, 5], [90, 4, 18]]
    >>> windows([12, 7, 31, 5, 90, 4], 3, stride=2)[0].tolist()
    [[12, 7, 31], [31, 5, 90]]
    """
    raise NotImplementedError("TODO: windows")


def loss_mask(ids: Sequence[int] | NDArray[np.integer], assistant_id: int, end_id: int) -> NDArray[np.int64]:
    """Mark the targets of a conversation that the assistant writes: the model is trained on these.

    The assistant writes everything after an `assistant_id`, up to and including the `end_id` that ends its message. The
    program writes the role markers, and others write the other messages, each of which has its own `end_id`. The
    handout's section "What the model is trained on" shows a conversation token by token.

    Args:
        ids: one conversation from its beginning, a list or an array. Each message is the ID of its role, its text, and
            `end_id`; the last one may have been truncated.
        assistant_id, end_id: the IDs of <|assistant|> and <|end|>.

    Returns the mask, an int64 array with an entry for each target, so one fewer than `ids`: entry 0 belongs to the
    target ids[1]. It is 1 where the target counts, and otherwise 0. Without any ID, it is empty.

    >>> loss_mask([258, 10, 72, 262, 259, 10, 79, 107, 262], assistant_id=259, end_id=262).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    >>> loss_mask([1, 50, 3, 2, 51, 3, 1, 52, 3], assistant_id=2, end_id=3).tolist()
    [0, 0, 0, 1, 1, 0, 0, 0]
    """
    raise NotImplementedError("TODO: loss_mask")


def document_windows(
    ids: Sequence[int] | NDArray[np.integer], length: int, separator_id: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut a corpus into windows, each within one document.

    Each document is cut by itself, with the separators before and after it, and its last window is padded. The
    handout's section "Documents" says what a document is, and where the windows start and end.

    Args:
        ids: the corpus, a list or an array, with `separator_id` between documents and perhaps at either end.
        length: tokens per window. Below 1, raise a ValueError that names `length` and its value.

    Returns (inputs, targets), two new int64 arrays of shape (number of windows, length), in the order of the corpus.
    Padding is `separator_id` in the inputs and `IGNORED` in the targets.

    >>> inputs, targets = document_windows([7, 8, 9, 0, 5, 0], 2, separator_id=0)
    >>> inputs.tolist()
    [[7, 8], [9, 0], [0, 5]]
    >>> targets.tolist()
    [[8, 9], [0, -100], [5, 0]]
    >>> document_windows([0, 7, 0, 0, 8, 9], 4, separator_id=0)[1].tolist()
    [[7, 0, -100, -100], [8, 9, -100, -100]]
    """
    raise NotImplementedError("TODO: document_windows")


# --- given: sequences of different lengths ----------------------------------------------------------------------------


def pad_batch(
    sequences: Sequence[Sequence[int]], pad_id: int, *, side: str = "right", max_length: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Put sequences of token IDs, lists or arrays, into one rectangle, padded with `pad_id`.

    Args:
        side: where the padding goes: "right" for training; "left" for generating, where the next token must directly
            follow the last real one.
        max_length: how many IDs of a sequence to keep, from its start; None keeps all.

    Returns (ids, attention_mask), two int64 arrays of shape (batch, length). The mask is 1 for real IDs, 0 for padding.

    Raises ValueError for another side or a negative length, and TypeError, which says where, for anything other than
    token IDs.

    >>> ids, attention_mask = pad_batch([[5, 6, 7], [8]], pad_id=0)
    >>> ids.tolist(), attention_mask.tolist()
    ([[5, 6, 7], [8, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    """
    if side not in ("right", "left"):
        raise ValueError(f"side must be 'right' or 'left', but it is {side!r}.")
    if max_length is not None and max_length < 0:
        raise ValueError(f"max_length must not be negative, but it is {max_length}.")
    if not is_integer(pad_id):
        raise TypeError(f"pad_id must be a token ID, an integer, but it is {pad_id!r}.")
    rows = [_read_sequence(sequence, number)[:max_length] for number, sequence in enumerate(sequences)]
    ids = np.full((len(rows), max(map(len, rows), default=0)), pad_id, dtype=np.int64)
    attention_mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        # The mask follows from the length: a real token may have the ID that is used for padding.
        start = ids.shape[1] - len(row) if side == "left" else 0
        ids[number, start : start + len(row)] = row
        attention_mask[number, start : start + len(row)] = 1
    return ids, attention_mask


def _read_sequence(sequence: Sequence[int], number: int) -> list[int]:
    if isinstance(sequence, (str, bytes)) or not hasattr(sequence, "__iter__"):
        raise TypeError(
            f"A batch must be a list of sequences of token IDs, but sequence {number} is {sequence!r}. "
            "Put a single sequence into a list: [sequence]."
        )
    for token_id in sequence:
        if not is_integer(token_id):
            raise TypeError(f"Token IDs must be integers, but sequence {number} holds {token_id!r}.")
    return list(sequence)
