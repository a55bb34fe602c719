"""Where the first half of the pair stands, the pair begins.

Mistake: one half of the pair is enough
Why: Both IDs have to match: the left one and the right one.
Pitfall: byte-order
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged, position = [], 0
        while position < len(ids):
            hit = ids[position] == pair[0] and position + 1 < len(ids)
            merged.append(new_id if hit else ids[position])
            position += 2 if hit else 1
        return merged
