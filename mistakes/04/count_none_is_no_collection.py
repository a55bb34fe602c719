"""barrier_ids is a collection, so I can ask whether an ID is in it.

Mistake: barrier_ids=None is not handled
Why: None means that there are no barriers: handle it before using `in`.
Pitfall: barriers
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        counts = {}
        for pair in zip(ids, ids[1:]):
            if pair[0] not in barrier_ids and pair[1] not in barrier_ids:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
