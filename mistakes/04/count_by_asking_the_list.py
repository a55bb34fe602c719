"""A list can count for me.

Mistake: _get_pair_counts is too slow for a long argument
Why: Look at each item about once: a loop within the loop, such as count or index, takes too long.
Pitfall: slow
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        b = set(barrier_ids or ())
        pairs = [p for p in zip(ids, ids[1:]) if not b & set(p)]
        return {p: pairs.count(p) for p in pairs}
