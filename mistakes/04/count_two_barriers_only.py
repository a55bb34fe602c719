"""A pair of barriers is no pair.

Mistake: only a pair of two barriers is skipped
Why: One barrier in the pair is enough: or, not and.
Pitfall: barriers
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for left, right in zip(ids, ids[1:]):
            if left in barriers and right in barriers:
                continue
            counts[left, right] = counts.get((left, right), 0) + 1
        return counts
