"""I return the counts sorted, so that they are easier to read.

Mistake: the pairs are not in order of first appearance
Why: In a tie the pair seen first wins, and only the order of the dictionary tells which one that is.
Pitfall: ties
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        return dict(sorted(super()._get_pair_counts(ids, barrier_ids=barrier_ids).items()))
