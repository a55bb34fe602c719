"""Two IDs are the same ID, so I compared with is. Worked in all my little trials.

Mistake: identity in place of equality: CPython caches only ints up to 256, so pairs with larger IDs are not found.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        left, right = pair
        result = []
        i = 0
        while i < len(ids):
            if i + 1 < len(ids) and ids[i] is left and ids[i + 1] is right:
                result.append(new_id)
                i = i + 2
            else:
                result.append(ids[i])
                i = i + 1
        return result
