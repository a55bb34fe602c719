"""If the pair is new I create the entry, otherwise I count it up.

Mistake: a new pair is entered with 0 and not with 1, every count is one too low.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barrier_ids = barrier_ids or set()
        counts = {}
        n = len(ids)
        for i in range(n - 1):
            if ids[i] in barrier_ids or ids[i + 1] in barrier_ids:
                continue
            pair = (ids[i], ids[i + 1])
            if pair not in counts:
                counts[pair] = 0
            else:
                counts[pair] += 1
        return counts
