"""There are n - 1 pairs, and range ends one earlier, so I subtract one more to be safe.

Mistake: the last pair is left out
Why: n IDs have n - 1 pairs, and the last pair ends with the last ID.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for position in range(len(ids) - 2):
            pair = (ids[position], ids[position + 1])
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
