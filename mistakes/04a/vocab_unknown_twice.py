"""The unknown token goes to the front of the sorted symbols.

Mistake: the unknown token is listed twice
Why: Take it out of the text's symbols; its ID is 0 and stays 0.
Pitfall: unknown-symbol
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)))
        if self.unk_token is not None:
            symbols.insert(0, self.unk_token)
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
