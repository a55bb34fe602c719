"""list(text) cuts the text into its smallest parts.

Mistake: str where IDs belong
Why: Start from bytes: list(piece) gives their values as integers.
Pitfall: str-for-bytes
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = list(text)
        while known := [pair for pair in zip(ids, ids[1:]) if pair in self.merges]:
            pair = min(known, key=self.merges.get)
            ids = self._merge(ids, pair, self.merges[pair])
        return ids
