"""range takes a step, and pairs have two IDs, so I look two places ahead.

Mistake: the neighbor is skipped
Why: The neighbor of ids[i] is ids[i + 1].
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip(ids, ids[2:]):
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
