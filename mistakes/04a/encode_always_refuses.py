"""A symbol that is not in the vocabulary is an error.

Mistake: an unknown symbol is refused, though there is an unknown token
Why: With an unk_token it becomes that token's ID, 0.
Pitfall: unknown-symbol
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        for symbol in self.symbols(text):
            if symbol not in self.token_to_id:
                raise ValueError(f"{symbol!r} is not in the vocabulary.")
        return [self.token_to_id[symbol] for symbol in self.symbols(text)]
