"""The last index is len - 1 and I look one ahead, so I stop at len - 2.

Mistake: range(len(ids) - 2) already excludes its end, so the last pair is never counted.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = set(barrier_ids or [])
        counts = {}
        for i in range(len(ids) - 2):
            a, b = ids[i], ids[i + 1]
            if a in barriers or b in barriers:
                continue
            counts[(a, b)] = counts.get((a, b), 0) + 1
        return counts
