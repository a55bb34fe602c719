"""If there is a left one and a right one, they are a pair.

Mistake: the ID 0 is treated as missing
Why: 0 counts as false in Python, but it is an ID like any other: compare with None instead.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        b = set(barrier_ids or ())
        counts = {}
        for l, r in zip(ids, ids[1:]):
            if l and r and l not in b and r not in b:
                counts[l, r] = counts.get((l, r), 0) + 1
        return counts
