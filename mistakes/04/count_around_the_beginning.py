"""I pair each ID with the one before it, ids[i - 1].

Mistake: n pairs instead of n - 1
Why: ids[i - 1] is the last ID when i is 0: begin with i = 1, or pair ids with ids[1:].
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for position in range(len(ids)):
            pair = (ids[position - 1], ids[position])
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
