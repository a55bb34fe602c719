"""I go through all positions and look at the ID there and the one after it.

Mistake: n pairs instead of n - 1
Why: The last ID has no neighbor after it, so the loop must end one ID earlier.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for position in range(len(ids)):
            pair = (ids[position], ids[position + 1])
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
