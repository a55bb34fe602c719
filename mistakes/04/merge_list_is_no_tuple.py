"""A slice of two IDs compared with the pair.

Mistake: nothing is replaced
Why: A list never equals a tuple: [1, 2] == (1, 2) is False.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        position = 0
        while position < len(ids):
            if ids[position : position + 2] == pair:
                merged.append(new_id)
                position += 2
            else:
                merged.append(ids[position])
                position += 1
        return merged
