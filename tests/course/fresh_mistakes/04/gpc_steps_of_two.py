"""Pairs have two elements, so the list is cut into chunks of two.

Mistake: the loop moves on by two, so each ID is only in one pair; every second pair is missing.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for i in range(0, len(ids) - 1, 2):
            pair = (ids[i], ids[i + 1])
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
