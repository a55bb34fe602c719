"""Capitals only make more tokens.

Mistake: the text is changed before it is cut
Why: self._words(text) does all that has to be done to it.
Pitfall: unknown-token
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return AnswerKey.encode(self, text.lower(), add_special_tokens)
