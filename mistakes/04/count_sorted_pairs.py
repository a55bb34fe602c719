"""(1, 2) and (2, 1) are the same two IDs, so I sort the pair before I count it.

Mistake: left and right are not told apart
Why: (1, 2) and (2, 1) are two different pairs.
Pitfall: byte-order
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip(ids, ids[1:]):
            if pair[0] not in barriers and pair[1] not in barriers:
                pair = tuple(sorted(pair))
                counts[pair] = counts.get(pair, 0) + 1
        return counts
