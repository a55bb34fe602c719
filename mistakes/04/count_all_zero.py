"""A pair that I meet for the first time gets a 0.

Mistake: each pair is counted once only
Why: Add 1 to the count that the pair already has.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        return {pair: 0 for pair in zip(ids, ids[1:]) if not set(pair) & set(barriers)}
