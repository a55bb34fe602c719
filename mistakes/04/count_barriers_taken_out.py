"""Barriers must not be in a pair, so I take them out of the list first and count what is left.

Mistake: pairs reach across a barrier
Why: The IDs before and after a barrier are not neighbors: skip pairs with a barrier instead of removing the barriers.
Pitfall: barriers
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        ids = [token_id for token_id in ids if token_id not in barriers]
        counts = {}
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        return counts
