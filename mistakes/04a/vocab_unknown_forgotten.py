"""The vocabulary is what stands in the text.

Mistake: the unknown token is left out
Why: With an unk_token, it has ID 0 and the others start at 1.
Pitfall: unknown-symbol
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
