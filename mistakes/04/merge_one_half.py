"""When one of the two fits, it is the pair.

Mistake: one half of the pair is enough
Why: Both IDs have to match: the left one and the right one.
Pitfall: byte-order
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        out, i = [], 0
        while i < len(ids):
            if i + 1 < len(ids) and (ids[i] == pair[0] or ids[i + 1] == pair[1]):
                out.append(new_id)
                i += 2
            else:
                out.append(ids[i])
                i += 1
        return out
