"""I copy the list first so the caller keeps theirs, then delete from the copy.

Mistake: range is made from the old length, and the copy gets shorter: the index runs over the end.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        out = list(ids)
        for i in range(len(out) - 1):
            if (out[i], out[i + 1]) == pair:
                out[i] = new_id
                del out[i + 1]
        return out
