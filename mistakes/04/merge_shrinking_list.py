"""I replace in a copy, going over its positions.

Mistake: the list gets shorter while a loop runs over its old length
Why: range(len(ids)) is computed once: build a new list instead.
Pitfall: pair-count
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        ids = list(ids)
        for position in range(len(ids)):
            if (ids[position], ids[position + 1]) == pair:
                ids[position : position + 2] = [new_id]
        return ids
