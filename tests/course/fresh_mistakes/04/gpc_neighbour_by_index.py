"""For each ID I find where it is with index() and take the one after.

Mistake: list.index finds the first place of that value every time, so a repeated ID always gets the neighbour of its first occurrence (and it is quadratic).
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = list(barrier_ids) if barrier_ids else []
        counts = {}
        for token in ids[:-1]:
            neighbour = ids[ids.index(token) + 1]
            if token in barriers or neighbour in barriers:
                continue
            counts[(token, neighbour)] = counts.get((token, neighbour), 0) + 1
        return counts
