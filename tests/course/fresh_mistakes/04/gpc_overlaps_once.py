"""In [1, 1, 1] only one (1, 1) can be merged, so I count it once.

Mistake: a pair that overlaps the previous equal one is not counted; counting is about places, merging about overlaps.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        i = 0
        while i < len(ids) - 1:
            pair = (ids[i], ids[i + 1])
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
                if pair[0] == pair[1] and i + 2 < len(ids) and ids[i + 2] == pair[0]:
                    i += 1
            i += 1
        return counts
