"""No pair may contain barriers: skip it if both are in the set.

Mistake: `and` instead of `or`, so a pair with one barrier is counted.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barrier_ids = barrier_ids or set()
        counts = {}
        for left, right in zip(ids, ids[1:]):
            if left in barrier_ids and right in barrier_ids:
                continue
            counts[left, right] = counts.get((left, right), 0) + 1
        return counts
