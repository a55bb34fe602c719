"""An unknown word has no meaning for the model.

Mistake: unknown words are left out
Why: The unknown token has an ID like any other: keep it, so that the place is not lost.
Pitfall: whole-word
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = [
            self.token_to_id[token]
            for word in self._words(text)
            for token in self.longest_match(word)
            if token != self.unk_token
        ]
        if add_special_tokens:
            for token in ("[CLS]", "[SEP]"):
                if token not in self.token_to_id:
                    raise ValueError(f"The vocabulary has no token {token!r}.")
            ids = [self.token_to_id["[CLS]"], *ids, self.token_to_id["[SEP]"]]
        return ids
