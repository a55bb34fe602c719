"""The error says what is wrong: a symbol is unknown.

Mistake: the error does not name the symbol
Why: Put the symbol into the message.
Pitfall: unknown-symbol
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        if self.unk_token is None and set(self.symbols(text)) - set(self.token_to_id):
            raise ValueError("UNKNOWN SYMBOL")
        return [self.token_to_id.get(symbol, 0) for symbol in self.symbols(text)]
