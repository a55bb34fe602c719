"""A text with something unknown in it is unknown.

Mistake: one unknown symbol makes the whole text unknown
Why: Each symbol has an ID of its own: only the unknown ones become the unknown token.
Pitfall: unknown-symbol
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        if self.unk_token is not None and any(symbol not in self.token_to_id for symbol in self.symbols(text)):
            return [self.token_to_id[self.unk_token]]
        return super().encode(text)
