"""Answer key of module 05. What the functions take and return is documented in g2c/embedding/vectors.py."""

import numpy as np

from g2c.embedding.vectors import read_ids


def one_hot(ids, size):
    columns = read_ids(ids, size)
    rows = np.zeros((len(columns), size), dtype=np.float32)
    # Two index arrays pair up: row 0 with the first ID, row 1 with the second, and so on.
    rows[np.arange(len(columns)), columns] = 1
    return rows


def lookup(table, ids):
    # Without the check a negative ID would quietly take a row from the end of the table.
    return table[read_ids(ids, len(table))]
