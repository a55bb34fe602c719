"""The counts of a list are those of the list without its end, and one pair more.

Mistake: a call that calls itself for each item
Why: Python goes about 1,000 calls deep, and a text has more tokens: use a loop.
Pitfall: slow
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        if len(ids) < 2:
            return {}
        b = set(barrier_ids or ())
        counts = self._get_pair_counts(ids[:-1], barrier_ids=barrier_ids)
        p = (ids[-2], ids[-1])
        if not b & set(p):
            counts[p] = counts.get(p, 0) + 1
        return counts
