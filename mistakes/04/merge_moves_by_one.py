"""A for loop over the positions: where the pair begins I append new_id, everywhere else the ID.

Mistake: after a match the position moves on by one
Why: A match uses up two IDs, so move on by two.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        for position in range(len(ids)):
            if tuple(ids[position : position + 2]) == pair:
                merged.append(new_id)
            else:
                merged.append(ids[position])
        return merged
