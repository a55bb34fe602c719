"""With numpy I find all places at once, write new_id there and delete the position after each. No loop needed.

Mistake: overlapping occurrences are all taken: [1, 1, 1] becomes one ID, the used-up middle one is not respected.
"""

import numpy as np

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        arr = np.array(ids, dtype=np.int64)
        hit = (arr[:-1] == pair[0]) & (arr[1:] == pair[1])
        where = np.where(hit)[0]
        arr[where] = new_id
        return np.delete(arr, where + 1).tolist()
