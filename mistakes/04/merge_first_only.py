"""I look for the pair, replace it and return.

Mistake: only the first occurrence is replaced
Why: Continue to the end of the list after a match.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        for position in range(len(ids) - 1):
            if (ids[position], ids[position + 1]) == pair:
                return ids[:position] + [new_id] + ids[position + 2 :]
        return list(ids)
