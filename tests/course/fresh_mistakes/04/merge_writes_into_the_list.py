"""Slice assignment replaces two with one, that is exactly what I need.

Mistake: ids itself is shortened; the caller's list is changed.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        i = 0
        while i < len(ids) - 1:
            if (ids[i], ids[i + 1]) == pair:
                ids[i : i + 2] = [new_id]
            i += 1
        return ids
