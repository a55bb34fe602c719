"""Deleting in a list moves what comes after, so I work from the end to the front.

Mistake: the pair is replaced from right to left
Why: In [1, 1, 1] the two on the left become one: go from left to right.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = list(ids)
        for position in range(len(merged) - 2, -1, -1):
            if tuple(merged[position : position + 2]) == pair:
                merged[position : position + 2] = [new_id]
        return merged
