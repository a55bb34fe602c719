"""An unknown symbol becomes ID 0.

Mistake: an unknown symbol gets an ID, though there is no unknown token
Why: Without an unk_token it is a ValueError.
Pitfall: unknown-symbol
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        return [self.token_to_id.get(symbol, 0) for symbol in self.symbols(text)]
