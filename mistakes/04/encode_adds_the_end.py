"""A text ends with the end token.

Mistake: a special token is added that is not in the text
Why: A caller who wants one writes it into the text.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return super().encode(text) + sorted(self.special_token_ids)[:1]
