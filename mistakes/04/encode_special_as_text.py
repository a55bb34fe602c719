"""Text is bytes; I start from text.encode().

Mistake: a special token is encoded as plain text
Why: self._pieces yields its ID, an int: append that.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        for _ in self._pieces(text):
            pass
        ids = list(text.encode())
        while known := [pair for pair in zip(ids, ids[1:]) if pair in self.merges]:
            pair = min(known, key=self.merges.get)
            ids = self._merge(ids, pair, self.merges[pair])
        return ids
