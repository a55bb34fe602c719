"""Each ID is compared with the one before it, so I begin with the second and take it from there.

Mistake: the first pair is left out
Why: The first pair begins with the first ID, at place 0.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for position in range(1, len(ids) - 1):
            pair = ids[position], ids[position + 1]
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
