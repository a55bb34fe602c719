"""zip_longest fills up what is missing, so both lists are used to their ends.

Mistake: n pairs instead of n - 1
Why: The last ID has no neighbor after it, so it begins no pair: stop one ID earlier.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from itertools import zip_longest

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip_longest(ids, ids[1:]):
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
