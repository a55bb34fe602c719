"""When there is an ID I append it.

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
            if self.token_to_id.get(symbol):
                ids.append(self.token_to_id[symbol])
            elif self.unk_token is not None:
                ids.append(0)
            elif symbol not in self.token_to_id:
                raise ValueError(f"{symbol!r} is not in the vocabulary.")
        return ids
