"""Encoding is splitting into tokens.

Mistake: tokens come back and not IDs
Why: Look up each token in token_to_id.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = [token for word in self._words(text) for token in self.longest_match(word)]
        if add_special_tokens:
            for token in ("[CLS]", "[SEP]"):
                if token not in self.token_to_id:
                    raise ValueError(f"The vocabulary has no token {token!r}.")
            ids = [self.token_to_id["[CLS]"], *ids, self.token_to_id["[SEP]"]]
        return ids
