"""I made the empty dictionary in the signature, saves a line.

Mistake: a mutable default argument: the dictionary lives on between calls, so counts of earlier calls are added up.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None, counts={}):
        for i in range(len(ids) - 1):
            a, b = ids[i], ids[i + 1]
            if barrier_ids is not None and (a in barrier_ids or b in barrier_ids):
                continue
            counts[a, b] = counts.get((a, b), 0) + 1
        return counts
