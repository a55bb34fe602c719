"""Pairs have two IDs, so I walk in steps of two.

Mistake: IDs between the matches are skipped
Why: Without a match, move on by one position.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        for position in range(0, len(ids), 2):
            two = ids[position : position + 2]
            merged += [new_id] if tuple(two) == pair else two
        return merged
