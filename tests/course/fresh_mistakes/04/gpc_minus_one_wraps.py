"""I start at i = 0 and look back at the ID before it, that way I never run over the end of the list.

Mistake: ids[i - 1] at i = 0 is the last ID, so the list is treated as a ring and a pair (last, first) is counted that does not exist.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barrier_ids = barrier_ids or set()
        counts = {}
        for i in range(len(ids)):
            prev, cur = ids[i - 1], ids[i]
            if prev in barrier_ids or cur in barrier_ids:
                continue
            counts[(prev, cur)] = counts.get((prev, cur), 0) + 1
        return counts
