"""A pair is two IDs, so the list falls into pairs: the first two, the next two, and so on.

Mistake: every second pair is left out
Why: An ID is the right half of one pair and the left half of the next.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip(ids[::2], ids[1::2]):
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
