"""Counter has most_common, then the best one is already in front.

Mistake: the result is in order of counts and not of first appearance.
"""

from collections import Counter

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = set(barrier_ids or ())
        pairs = Counter(p for p in zip(ids, ids[1:]) if not barriers & set(p))
        return dict(pairs.most_common())
