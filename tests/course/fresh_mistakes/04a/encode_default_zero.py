"""The unknown token has ID 0, so get(symbol, 0) covers it.

Mistake: without an unknown token an unknown symbol silently becomes ID 0, which is a real symbol, in place of a ValueError.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        return [self.token_to_id.get(symbol, 0) for symbol in self.symbols(text)]
