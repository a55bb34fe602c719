"""Answer key of module 05. What the function takes and returns is documented in g2c/embedding/vectors.py."""

import numpy as np


def lookup(table, ids):
    ids = np.asarray(ids)
    # numpy would quietly take a row from the end of the table.
    if (ids < 0).any():
        raise ValueError(f"The ID {ids.min()} is negative.")
    return table[ids]
