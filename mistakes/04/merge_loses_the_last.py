"""The last ID has no neighbor, so my loop ends before it.

Mistake: the last ID is lost
Why: It has no neighbor, but it still has to be copied.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        position = 0
        while position < len(ids) - 1:
            if (ids[position], ids[position + 1]) == pair:
                merged.append(new_id)
                position += 2
            else:
                merged.append(ids[position])
                position += 1
        return merged
