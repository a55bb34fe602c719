"""text.encode gives me the bytes, and that is all I need.

Mistake: the text is used before self._pieces has seen it
Why: self._pieces checks the text, cuts it and finds special tokens: go through the pieces that it yields.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = list(text.encode())
        for pair, new_id in self.merges.items():
            ids = self._merge(ids, pair, new_id)
        return ids
