"""When both IDs are equal the pair can be read from either side, so it counts double.

Mistake: overlapping pairs are counted twice
Why: Each position with two neighbors counts once, also where both IDs are equal.
Pitfall: overlap
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip(ids, ids[1:]):
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + (2 if pair[0] == pair[1] else 1)
        return counts
