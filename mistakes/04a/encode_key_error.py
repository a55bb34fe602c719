"""A dictionary raises an error by itself when a symbol is missing.

Mistake: a KeyError for an unknown symbol
Why: Ask whether the symbol is there, and raise a ValueError that names it.
Pitfall: unknown-symbol
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        if self.unk_token is None:
            return [self.token_to_id[symbol] for symbol in self.symbols(text)]
        return [self.token_to_id.get(symbol, 0) for symbol in self.symbols(text)]
