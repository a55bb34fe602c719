"""get gives None when there is no ID, and `or` puts the unknown token in its place.

Mistake: the symbol with ID 0 is taken for unknown
Why: 0 counts as false: ask `symbol in token_to_id`, not whether the ID is true.
Pitfall: zero
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for symbol in self.symbols(text):
            token_id = self.token_to_id.get(symbol) or self.token_to_id.get(self.unk_token)
            if token_id is None:
                raise ValueError(f"{symbol!r} is not in the vocabulary.")
            ids.append(token_id)
        return ids
