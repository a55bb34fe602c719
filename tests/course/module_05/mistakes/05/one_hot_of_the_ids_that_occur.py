"""There are as many columns as different IDs.

Mistake: a column only for IDs that occur
Why: The number of columns is the size of the vocabulary, whatever the text.
Pitfall: rows
Caught by: TestOneHot
"""

import numpy as np


def one_hot(ids, size):
    columns = sorted(set(ids))
    return np.array([[float(column == token_id) for column in columns] for token_id in ids], dtype=np.float32)
