"""If there is no [CLS], there is none to add.

Mistake: a special token that is missing is left out
Why: It was asked for: raise a ValueError that names it.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = AnswerKey.encode(self, text)
        if add_special_tokens:
            first, last = self.token_to_id.get("[CLS]"), self.token_to_id.get("[SEP]")
            ids = [token_id for token_id in [first, *ids, last] if token_id is not None]
        return ids
