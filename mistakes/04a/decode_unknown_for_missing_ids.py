"""What is not known is the unknown token.

Mistake: an ID that does not exist is passed over
Why: Lost text must not go unnoticed: raise a ValueError that names the ID.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        return self._join([self.id_to_token.get(token_id, self.unk_token or "") for token_id in ids])
