"""A slice of two IDs, compare with the pair, done. Slices don't even overrun at the end.

Mistake: the slice is a list and the pair is a tuple, the two are never equal, so nothing is ever replaced.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        pos = 0
        while pos < len(ids):
            if ids[pos:pos + 2] == pair:
                merged.append(new_id)
                pos += 2
            else:
                merged.append(ids[pos])
                pos += 1
        return merged
