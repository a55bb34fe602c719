"""(1, 2) and (2, 1) are the same two neighbours, so I put the smaller one first to have one entry.

Mistake: the pair is sorted before it is counted, so (2, 1) is counted as (1, 2).
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for a, b in zip(ids, ids[1:]):
            if a in barriers or b in barriers:
                continue
            pair = tuple(sorted((a, b)))
            counts[pair] = counts.get(pair, 0) + 1
        return counts
