"""Append new_id and move by two, otherwise append the ID. Then it hangs my notebook.

Mistake: i is not increased in the else branch, so the loop never ends at the first ID that is not part of the pair.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        i = 0
        while i < len(ids):
            if i < len(ids) - 1 and (ids[i], ids[i + 1]) == pair:
                merged.append(new_id)
                i += 2
            else:
                merged.append(ids[i])
        return merged
