"""The unknown token is something extra, so I put it at the end.

Mistake: the unknown token does not have ID 0
Why: It comes first; the others start at 1.
Pitfall: unknown-symbol
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)) - {self.unk_token})
        if self.unk_token is not None:
            symbols.append(self.unk_token)
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
