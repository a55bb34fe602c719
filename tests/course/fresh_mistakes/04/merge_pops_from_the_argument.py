"""In C I would overwrite the pair and shift the rest to the left, so I do that with pop.

Mistake: the list that was passed in is changed (and returned), no new list is made.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        i = 0
        while i < len(ids) - 1:
            if ids[i] == pair[0] and ids[i + 1] == pair[1]:
                ids[i] = new_id
                ids.pop(i + 1)
            i += 1
        return ids
