"""Build the list position by position.

Mistake: there is no return, so the result is None.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged, i = [], 0
        while i < len(ids):
            if ids[i : i + 2] == list(pair):
                merged.append(new_id)
                i += 2
            else:
                merged.append(ids[i])
                i += 1
