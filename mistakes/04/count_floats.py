"""Counts may become frequencies later, so I begin at 0.0.

Mistake: the counts are floats
Why: A count is a whole number: begin at 0.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        counts = super()._get_pair_counts(ids, barrier_ids=barrier_ids)
        return {pair: float(count) for pair, count in counts.items()}
