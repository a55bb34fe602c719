"""Add 1 to that pair's count - that's counts[pair] += 1.

Mistake: += on a key that is not yet in a plain dict raises KeyError at the very first pair.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = set(barrier_ids or [])
        counts = {}
        for pair in zip(ids, ids[1:]):
            if barriers.isdisjoint(pair):
                counts[pair] += 1
        return counts
