"""A dictionary in the parameter list saves me a line.

Mistake: something from an earlier call is still there
Why: Start with an empty dictionary inside the method: a default such as counts={} is created once and shared by all calls.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None, counts={}):
        b = set(barrier_ids or ())
        for p in zip(ids, ids[1:]):
            if not b & set(p):
                counts[p] = counts.get(p, 0) + 1
        return counts
