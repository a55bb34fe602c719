"""A set of the text holds each symbol once.

Mistake: characters where words belong
Why: self.symbols(text) gives the symbols of this tokenizer; set(text) only characters.
Pitfall: hooks
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        reserved = [] if self.unk_token is None else [self.unk_token]
        symbols = reserved + sorted(set(text) - set(reserved))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
