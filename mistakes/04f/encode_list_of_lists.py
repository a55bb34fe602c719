"""Append what comes of each word.

Mistake: a list of lists comes back
Why: One list of IDs for the whole text, not one for each word.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = [[self.token_to_id[token] for token in self.longest_match(word)] for word in self._words(text)]
        if add_special_tokens:
            for token in ("[CLS]", "[SEP]"):
                if token not in self.token_to_id:
                    raise ValueError(f"The vocabulary has no token {token!r}.")
            ids = [self.token_to_id["[CLS]"], *ids, self.token_to_id["[SEP]"]]
        return ids
