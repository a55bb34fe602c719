"""The two neighbors have to be the two of the pair.

Mistake: sets have no order, so (2, 1) is replaced where (1, 2) was asked for.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        result, i = [], 0
        while i < len(ids):
            if i + 1 < len(ids) and {ids[i], ids[i + 1]} == set(pair):
                result.append(new_id)
                i += 2
            else:
                result.append(ids[i])
                i += 1
        return result
