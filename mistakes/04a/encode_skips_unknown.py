"""What is not in the vocabulary cannot be encoded, so I leave it out.

Mistake: unknown symbols are left out
Why: Text would be lost without a trace: with an unk_token they become its ID, and without one this is a ValueError.
Pitfall: unknown-symbol
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        return [self.token_to_id[symbol] for symbol in self.symbols(text) if symbol in self.token_to_id]
