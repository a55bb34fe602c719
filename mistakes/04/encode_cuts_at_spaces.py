"""Tokens are parts of words, so I go word by word.

Mistake: the text is cut at spaces
Why: Only self._pieces cuts the text, and without a pattern it does not cut at all.
Pitfall: barriers
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for number, word in enumerate(text.split(" ")):
            ids += super().encode((" " if number else "") + word)
        return ids
