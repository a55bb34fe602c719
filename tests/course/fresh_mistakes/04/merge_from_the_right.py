"""Deleting from a list is safer from the back because the indices in front stay valid. I copied the list first, of course.

Mistake: the pairs are replaced from right to left, so in a run such as [1, 1, 1] the right pair is merged and not the left one.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        ids = list(ids)
        i = len(ids) - 2
        while i >= 0:
            if (ids[i], ids[i + 1]) == pair:
                ids[i:i + 2] = [new_id]
                i -= 1
            i -= 1
        return ids
