"""After a barrier something new begins, so I throw away what I have.

Mistake: counts from before a barrier are lost
Why: A barrier separates pieces of one text, and the pairs of all pieces count.
Pitfall: barriers
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for left, right in zip(ids, ids[1:]):
            if left in barriers or right in barriers:
                counts = {}
                continue
            counts[left, right] = counts.get((left, right), 0) + 1
        return counts
