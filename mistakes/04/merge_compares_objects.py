"""`is` reads like "is the same number".

Mistake: numbers are compared with `is`
Why: `is` asks for the same object, and two equal integers may be two objects: compare with ==.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        out, i = [], 0
        while i < len(ids):
            if i + 1 < len(ids) and ids[i] is pair[0] and ids[i + 1] is pair[1]:
                out.append(new_id)
                i += 2
            else:
                out.append(ids[i])
                i += 1
        return out
