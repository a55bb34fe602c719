"""Module 05: from token IDs to vectors. This is a file that you complete.

A model computes with vectors. Each token ID has its own row in a table, the embedding. Write lookup, then run

    pytest tests/test_vectors.py
"""

from collections.abc import Sequence

import numpy as np


def lookup(table: np.ndarray, ids: Sequence[int] | np.ndarray) -> np.ndarray:
    """The row of the table for each ID.

    1. Refuse negative IDs, for which numpy would take rows from the end.
    2. Index the table with the IDs.

    Args:
        table: an array of shape (vocabulary, dimension).
        ids: token IDs of any shape, such as (batch, length).

    Returns:
        an array with the shape of `ids` and one more axis, the dimension: (batch, length, dimension).

    Raises:
        ValueError: an ID is negative. The message names it.

    >>> from g2c.embedding import lookup
    >>> lookup(np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), [2, 0])
    array([[0.5, 0.6],
           [0.1, 0.2]])
    """
    raise NotImplementedError("TODO: lookup")
