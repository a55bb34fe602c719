"""The loop stops before the last ID, so I append it after the loop.

Mistake: the last ID is copied although it is used up
Why: When the last two IDs are the pair, nothing is left to copy after the loop.
Pitfall: pair-count
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        out, i = [], 0
        while i < len(ids) - 1:
            if (ids[i], ids[i + 1]) == pair:
                out.append(new_id)
                i += 2
            else:
                out.append(ids[i])
                i += 1
        if ids:
            out.append(ids[-1])
        return out
