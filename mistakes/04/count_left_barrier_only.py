"""When I stand on a barrier I skip it.

Mistake: only the left ID is compared with the barriers
Why: A barrier may stand on either side of the pair.
Pitfall: barriers
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip(ids, ids[1:]):
            if pair[0] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
