"""get returns None if it's not there, that's safe.

Mistake: without an unknown token, None lands in the result instead of an error.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        return [self.token_to_id.get(s, self.token_to_id.get(self.unk_token)) for s in self.symbols(text)]
