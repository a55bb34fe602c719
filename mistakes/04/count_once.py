"""When I meet a pair I enter it with a 1.

Mistake: each pair is counted once only
Why: Add 1 to the count that the pair already has.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip(ids, ids[1:]):
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = 1
        return counts
