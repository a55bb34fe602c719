"""A dictionary raises an error by itself when an ID is missing.

Mistake: a KeyError for an ID that does not exist
Why: Ask whether the ID is there, and raise a ValueError that names it.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        return self._join([self.id_to_token[token_id] for token_id in ids])
