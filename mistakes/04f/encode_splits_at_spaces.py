"""Words are what split() gives.

Mistake: the text is split at whitespace only
Why: self._words also lowercases, removes accents and splits off punctuation.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = [self.token_to_id[token] for word in text.split() for token in self.longest_match(word)]
        if add_special_tokens:
            for token in ("[CLS]", "[SEP]"):
                if token not in self.token_to_id:
                    raise ValueError(f"The vocabulary has no token {token!r}.")
            ids = [self.token_to_id["[CLS]"], *ids, self.token_to_id["[SEP]"]]
        return ids
