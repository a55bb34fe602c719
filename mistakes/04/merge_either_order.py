"""The pair is these two IDs, so I compare as sets.

Mistake: left and right are not told apart
Why: (2, 1) is not the pair (1, 2): compare the IDs in order.
Pitfall: byte-order
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        position = 0
        while position < len(ids):
            if len(ids) - position >= 2 and sorted(ids[position : position + 2]) == sorted(pair):
                merged.append(new_id)
                position += 2
            else:
                merged.append(ids[position])
                position += 1
        return merged
