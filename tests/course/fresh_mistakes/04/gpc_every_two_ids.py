"""A pair is any two IDs, so two loops, the inner one starting after the outer one.

Mistake: every ID is paired with all later ones and not only with the next.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for i in range(len(ids)):
            for j in range(i + 1, len(ids)):
                if ids[i] in barriers or ids[j] in barriers:
                    continue
                pair = (ids[i], ids[j])
                counts[pair] = counts.get(pair, 0) + 1
        return counts
