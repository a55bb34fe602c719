"""An error is raised: that is what counts.

Mistake: the error does not name the ID
Why: Put the ID that does not exist into the message.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        if any(token_id not in self.id_to_token for token_id in ids):
            raise ValueError("there is an ID that is not in the vocabulary")
        return super().decode(ids)
