"""numpy raises an error by itself when there is no such row.

Mistake: a negative ID takes a row from the end
Why: table[-1] is the last row, without any error. Check the IDs with read_ids first.
Pitfall: range
Caught by: TestLookup
"""

import numpy as np


def lookup(table, ids):
    ids = np.asarray(ids)
    if (ids >= len(table)).any():
        raise ValueError(f"There is no row {ids.max()}.")
    return table[ids]
