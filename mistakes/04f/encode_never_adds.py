"""The model adds its special tokens itself.

Mistake: add_special_tokens is ignored
Why: When it is true, [CLS] goes before the IDs and [SEP] after them.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return AnswerKey.encode(self, text)
