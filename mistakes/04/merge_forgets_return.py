"""The list is replaced in place, so there is nothing to return.

Mistake: nothing is returned
Why: A function that ends without return gives None.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        position = 0
        while position < len(ids) - 1:
            if (ids[position], ids[position + 1]) == pair:
                ids[position : position + 2] = [new_id]
            position += 1
