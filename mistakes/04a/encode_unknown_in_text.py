"""When the unknown token stands in the text, it is meant.

Mistake: the unknown token's text becomes the unknown token
Why: What is written in the text is cut into symbols like everything else.
Pitfall: hooks
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        if not self.unk_token:
            return super().encode(text)
        ids = []
        for number, part in enumerate(text.split(self.unk_token)):
            ids += [self.token_to_id[self.unk_token]] * (number > 0) + super().encode(part)
        return ids
