"""At every position I compare this ID and the next one with the pair.

Mistake: a neighbor is looked for after the last ID
Why: The last ID has no neighbor: check the position before you compare.
Pitfall: pair-count
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        position = 0
        while position < len(ids):
            if (ids[position], ids[position + 1]) == pair:
                merged.append(new_id)
                position += 2
            else:
                merged.append(ids[position])
                position += 1
        return merged
