"""A batch is many IDs, and I look them up one by one.

Mistake: the shape of the batch is lost
Why: IDs of shape (batch, length) give vectors of shape (batch, length, dimension): index the table with the whole array.
Pitfall: shape
Caught by: TestLookup
"""

import numpy as np

from g2c.embedding.vectors import read_ids


def lookup(table, ids):
    return np.array([table[token_id] for token_id in read_ids(ids, len(table)).ravel()])
