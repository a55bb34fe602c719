"""The different characters are a set, and enumerate numbers it.

Mistake: the symbols are not sorted
Why: IDs follow the order of sorted(symbols): a set has no reliable order, and no other order is wanted.
Pitfall: order
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = [self.unk_token] if self.unk_token else []
        symbols += set(self.symbols(text)) - {self.unk_token}
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
