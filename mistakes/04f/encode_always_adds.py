"""A text begins with [CLS] and ends with [SEP].

Mistake: [CLS] and [SEP] are always added
Why: Only when add_special_tokens is true.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return AnswerKey.encode(self, text, True)
