"""An ID that does not exist has no text, so nothing comes of it.

Mistake: an ID that does not exist is passed over
Why: Lost text must not go unnoticed: raise a ValueError that names the ID.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        return self._join([self.id_to_token[token_id] for token_id in ids if token_id in self.id_to_token])
