"""The unknown token always comes first in the list.

Mistake: None stands in the vocabulary
Why: unk_token=None means that there is no unknown token.
Pitfall: unknown-symbol
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = [self.unk_token, *sorted(set(self.symbols(text)) - {self.unk_token})]
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
