"""At a match I skip both IDs.

Mistake: the new ID is not put in
Why: The pair is removed, and new_id takes its place.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        position = 0
        while position < len(ids):
            if tuple(ids[position : position + 2]) == pair:
                position += 2
            else:
                merged.append(ids[position])
                position += 1
        return merged
