"""The first symbol is number 1.

Mistake: the first ID is 1
Why: IDs begin at 0.
Pitfall: order
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)) - {self.unk_token})
        self.token_to_id = {} if self.unk_token is None else {self.unk_token: 0}
        self.token_to_id.update((symbol, token_id) for token_id, symbol in enumerate(symbols, start=1))
        self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}
