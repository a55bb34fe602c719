"""Equal pairs stand together in a sorted list, which makes them easy to count.

Mistake: the IDs are sorted before counting
Why: Neighbors are IDs that stand side by side in the text: do not change their order.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        return super()._get_pair_counts(sorted(ids), barrier_ids=barrier_ids)
