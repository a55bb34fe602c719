"""Pairs with a barrier don't count, so the simplest thing is to drop the barriers from the list and then count as usual.

Mistake: removing the barriers first makes the IDs on both sides of a barrier into neighbours, so pairs across it are counted.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = set(barrier_ids) if barrier_ids is not None else set()
        clean = [x for x in ids if x not in barriers]
        counts = {}
        for i in range(len(clean) - 1):
            key = (clean[i], clean[i + 1])
            counts[key] = counts.get(key, 0) + 1
        return counts
