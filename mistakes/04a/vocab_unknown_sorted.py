"""The unknown token is one symbol of the list, and the list is sorted.

Mistake: the unknown token is sorted along with the symbols
Why: It always has ID 0; the sorted symbols follow.
Pitfall: unknown-symbol
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = set(self.symbols(text))
        if self.unk_token is not None:
            symbols.add(self.unk_token)
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(sorted(symbols))}
        self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}
