"""Capitals only make the vocabulary larger.

Mistake: the text is changed before it is cut
Why: self.symbols(text) does all that has to be done to the text.
Pitfall: hooks
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        return super().encode(text.lower())
