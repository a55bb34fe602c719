"""encode needs the unknown token, so I add it to token_to_id at the end.

Mistake: the unknown token is missing in id_to_token
Why: The two dictionaries are inverses of each other: build both when the list of symbols is complete.
Pitfall: unknown-symbol
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)) - {self.unk_token})
        first = 0 if self.unk_token is None else 1
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols, first)}
        self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}
        if self.unk_token is not None:
            self.token_to_id[self.unk_token] = 0
