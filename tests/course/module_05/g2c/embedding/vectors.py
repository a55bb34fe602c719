"""Module 05: from token IDs to vectors. This is a file that you complete.

    ids        one-hot        table              vectors
    [2, 0]     0 0 1          0.1 0.2            0.5 0.6
               1 0 0     @    0.3 0.4     ->     0.1 0.2
                              0.5 0.6

A model computes with vectors. Each token ID has its own row in a table, the embedding. Write one_hot and lookup,
then run

    pytest tests/test_vectors.py
"""

from collections.abc import Sequence

import numpy as np


def read_ids(ids: Sequence[int] | np.ndarray, size: int) -> np.ndarray:
    """Token IDs as an array of int64, checked to lie below `size`. Given.

    Raises:
        ValueError: an ID is negative, or not below `size`. The message names it.

    >>> read_ids([2, 0], size=3)
    array([2, 0])
    """
    array = np.asarray(ids, dtype=np.int64)
    wrong = array[(array < 0) | (array >= size)]
    if wrong.size:
        raise ValueError(f"The ID {wrong.flat[0]} is not in 0 ... {size - 1}.")
    return array


def one_hot(ids: Sequence[int], size: int) -> np.ndarray:
    """One row for each ID: 1 in the column of that ID, 0 everywhere else.

    1. Read the IDs with `read_ids`.
    2. Make an array of zeros with a row for each ID and `size` columns, of dtype float32.
    3. Put a 1 into each row, in the column that the ID of this row names.

    Args:
        ids: token IDs, each below `size`.
        size: the size of the vocabulary.

    Returns:
        an array of float32 of shape (len(ids), size).

    Raises:
        ValueError: an ID is negative, or not below `size`.

    >>> from g2c.embedding import one_hot
    >>> one_hot([2, 0], size=3)
    array([[0., 0., 1.],
           [1., 0., 0.]], dtype=float32)
    """
    raise NotImplementedError("TODO: one_hot")


def lookup(table: np.ndarray, ids: Sequence[int] | np.ndarray) -> np.ndarray:
    """The row of the table for each ID.

    1. Read the IDs with `read_ids`: the table has as many rows as there are IDs in the vocabulary.
    2. Index the table with them.

    Args:
        table: an array of shape (vocabulary, dimension).
        ids: token IDs of any shape, such as (batch, length).

    Returns:
        an array with the shape of `ids` and one more axis, the dimension: (batch, length, dimension).

    Raises:
        ValueError: an ID is negative, or not below the number of rows.

    >>> from g2c.embedding import lookup
    >>> lookup(np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), [2, 0])
    array([[0.5, 0.6],
           [0.1, 0.2]])
    """
    raise NotImplementedError("TODO: lookup")
