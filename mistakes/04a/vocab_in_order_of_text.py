"""A dictionary keeps the order, so I number the characters as they come.

Mistake: the symbols are not sorted
Why: IDs follow the order of sorted(symbols): a set has no reliable order, and no other order is wanted.
Pitfall: order
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = list(dict.fromkeys([self.unk_token, *self.symbols(text)] if self.unk_token else self.symbols(text)))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
