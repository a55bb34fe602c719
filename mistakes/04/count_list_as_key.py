"""Two neighbors are the slice ids[i : i + 2].

Mistake: a list is used as a key
Why: ids[i : i + 2] is a list, and a list cannot be a dictionary key: make a tuple.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        b = set(barrier_ids or ())
        counts = {}
        for i in range(len(ids) - 1):
            p = ids[i : i + 2]
            if not b & set(p):
                counts[p] = counts.get(p, 0) + 1
        return counts
