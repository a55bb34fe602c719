"""Module 04c: from sequences of different lengths to one rectangular batch. You complete this file.

    [2, 15, 8, 12, 3]           2 15  8 12  3  0       1 1 1 1 1 0
    [2, 15, 8, 3]         ->    2 15  8  3  0  0       1 1 1 1 0 0
    [2, 15, 8, 12, 14, 3]       2 15  8 12 14  3       1 1 1 1 1 1
                                ids, padded with 0     attention mask

A model computes on rectangular arrays, but texts differ in length. Padding fills the short rows, and the attention mask
says which IDs are real. Write pad_batch, then run

    pytest tests/test_batching.py
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from g2c.tokenizer.checks import is_integer


def read_sequences(sequences: Sequence[Sequence[int]], pad_id: int) -> list[list[int]]:
    """Copy sequences of token IDs, lists or arrays, into new lists of int. Given.

    Raises TypeError, which says where, if `sequences` is not a list of sequences of integers, or if
    `pad_id` is not an integer.

    >>> import numpy as np
    >>> read_sequences([[5, 6, 7], np.array([8])], pad_id=0)
    [[5, 6, 7], [8]]
    """
    if not is_integer(pad_id):
        raise TypeError(f"pad_id must be a token ID, an integer, but it is {pad_id!r}.")
    rows = []
    for number, sequence in enumerate(sequences):
        if isinstance(sequence, (str, bytes)) or not hasattr(sequence, "__iter__"):
            raise TypeError(
                f"A batch must be a list of sequences of token IDs, but sequence {number} is {sequence!r}. "
                "Put a single sequence into a list: [sequence]."
            )
        row = list(sequence)
        for token_id in row:
            if not is_integer(token_id):
                raise TypeError(f"Token IDs must be integers, but sequence {number} holds {token_id!r}.")
        rows.append([int(token_id) for token_id in row])
    return rows


def pad_batch(
    sequences: Sequence[Sequence[int]],
    pad_id: int,
    *,
    side: str = "right",
    max_length: int | None = None,
    multiple_of: int | None = None,
    as_lists: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | tuple[list[list[int]], list[list[int]]]:
    """Put sequences of token IDs into one rectangle, padded with `pad_id`.

    1. If `side` is neither "right" nor "left", `max_length` is below 0, or `multiple_of` is below 1, raise a ValueError
       that names the argument and its value.
    2. Get your own copy of the sequences with `read_sequences(sequences, pad_id)`. With `max_length`, keep only the
       first `max_length` IDs of each.
    3. The batch is as long as the longest remaining sequence, or has length 0 if there is none. With `multiple_of`,
       round this length up to a multiple of that; the result may exceed `max_length`.
    4. Pad each row with `pad_id` on the given side.
    5. Make the mask, in the same shape: 1 for a real ID, 0 for padding.

    Args:
        sequences: the token IDs of each text, in lists or arrays. An empty sequence gives a row of padding. A batch
            without sequences has the shape (0, 0), even with `multiple_of`: 0 is a multiple of everything.
        pad_id: the ID used for padding.
        side: where the padding goes: "right" for training; "left" for generating, where the next token must directly
            follow the last real one.
        max_length: truncate longer sequences to this many tokens; None does not truncate.
        multiple_of: round the length up to a multiple of this many tokens; None does not round.
        as_lists: return lists of lists instead of arrays.

    Returns (ids, attention_mask), two int64 arrays of shape (batch, length).

    >>> ids, attention_mask = pad_batch([[5, 6, 7], [8]], pad_id=0)
    >>> ids.tolist()
    [[5, 6, 7], [8, 0, 0]]
    >>> attention_mask.tolist()
    [[1, 1, 1], [1, 0, 0]]
    >>> pad_batch([[5, 6, 7], [8]], pad_id=0, side="left", as_lists=True)
    ([[5, 6, 7], [0, 0, 8]], [[1, 1, 1], [0, 0, 1]])

    The trap: compute the mask from the lengths, not by comparing IDs with `pad_id`. A real token may have that ID, too.
    """
    raise NotImplementedError("TODO: pad_batch")
