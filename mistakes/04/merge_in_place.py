"""I replace in the list itself, which saves memory.

Mistake: the list that was passed is changed
Why: It belongs to the caller. Build a new list and return that.
Pitfall: mutated-argument
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
        return ids
