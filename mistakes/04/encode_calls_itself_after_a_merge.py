"""After one merge the rest is the same task again.

Mistake: a call that calls itself for each item
Why: Python allows about 1,000 nested calls, and a text has more tokens than that: use a loop.
Pitfall: slow
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            ids += [piece] if isinstance(piece, int) else self._merged(list(piece))
        return ids

    def _merged(self, ids):
        known = [pair for pair in zip(ids, ids[1:]) if pair in self.merges]
        if not known:
            return ids
        pair = min(known, key=self.merges.get)
        return self._merged(self._merge(ids, pair, self.merges[pair]))
