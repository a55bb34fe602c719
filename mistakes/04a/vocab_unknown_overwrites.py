"""First I number the symbols, then I enter the unknown token with ID 0.

Mistake: the unknown token takes a symbol's ID
Why: With an unk_token the others start at 1, so that all IDs differ.
Pitfall: unknown-symbol
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
        if self.unk_token is not None:
            self.token_to_id[self.unk_token] = 0
            self.id_to_token[0] = self.unk_token
