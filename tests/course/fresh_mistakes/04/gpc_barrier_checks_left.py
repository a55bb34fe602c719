"""A barrier stops what comes after it, so I check whether the pair begins with one.

Mistake: only the left ID is compared with the barriers; a pair that ends in a barrier is still counted.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        if barrier_ids is None:
            barrier_ids = []
        counts = {}
        for left, right in zip(ids[:-1], ids[1:]):
            if left not in barrier_ids:
                pair = (left, right)
                if pair in counts:
                    counts[pair] += 1
                else:
                    counts[pair] = 1
        return counts
