"""Both neighbours have to be in the pair, so I test with in.

Mistake: membership ignores the order and the number: (2, 1), (1, 1) and (2, 2) are replaced as well as (1, 2).
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        new_ids = []
        i = 0
        while i < len(ids):
            if i + 1 < len(ids) and ids[i] in pair and ids[i + 1] in pair:
                new_ids.append(new_id)
                i += 2
            else:
                new_ids.append(ids[i])
                i += 1
        return new_ids
