"""No unknown token: ValueError.

Mistake: the message does not name the symbol.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        try:
            if self.unk_token is None:
                return [self.token_to_id[s] for s in self.symbols(text)]
            return [self.token_to_id.get(s, self.token_to_id[self.unk_token]) for s in self.symbols(text)]
        except KeyError:
            raise ValueError("the text has an unknown symbol") from None
