"""Two neighbors, and neighbors of neighbors too: both stand close together.

Mistake: pairs are counted that do not stand in the list
Why: A pair is two IDs side by side, nothing else.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for distance in (1, 2):
            for pair in zip(ids, ids[distance:]):
                if pair[0] not in barriers and pair[1] not in barriers:
                    counts[pair] = counts.get(pair, 0) + 1
        return counts
