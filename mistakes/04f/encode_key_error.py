"""Every special token is in the vocabulary.

Mistake: a KeyError for a special token that is missing
Why: Raise a ValueError that names the token.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = AnswerKey.encode(self, text)
        return [self.token_to_id["[CLS]"], *ids, self.token_to_id["[SEP]"]] if add_special_tokens else ids
