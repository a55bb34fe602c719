"""I go over the neighbours with zip and remember with a flag that the next one is used up already.

Mistake: zip ends at the last pair, and the last ID is never appended when it was not merged.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        out = []
        skip = False
        for a, b in zip(ids, ids[1:]):
            if skip:
                skip = False
                continue
            if (a, b) == tuple(pair):
                out.append(new_id)
                skip = True
            else:
                out.append(a)
        return out
