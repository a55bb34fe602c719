"""A text needs a beginning.

Mistake: only one of [CLS] and [SEP] is added
Why: [CLS] stands before the text, and [SEP] after it.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = AnswerKey.encode(self, text, add_special_tokens)
        return ids[:-1] if add_special_tokens else ids
