"""I come from the right, so the pair is the ID here and the one before it.

Mistake: left and right are not told apart
Why: (1, 2) and (2, 1) are two different pairs: the left ID comes first.
Pitfall: byte-order
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for left, right in zip(ids, ids[1:]):
            if left not in barriers and right not in barriers:
                counts[right, left] = counts.get((right, left), 0) + 1
        return counts
