"""I take IDs from the front of the list until there is only one left.

Mistake: the list that was passed is changed
Why: It belongs to the caller. Build a new list and return that.
Pitfall: mutated-argument
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        while len(ids) > 1:
            pair = (ids.pop(0), ids[0])
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
