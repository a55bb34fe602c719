"""Look up every ID, and that is it.

Mistake: a list where text belongs
Why: self._join puts the symbols together.
Pitfall: hooks
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        return [self.id_to_token[token_id] for token_id in ids]
