"""encode needs token_to_id, so that is what I build.

Mistake: only one of the two dictionaries is set
Why: encode reads token_to_id, decode reads id_to_token: set both.
Pitfall: two-dictionaries
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        reserved = [] if self.unk_token is None else [self.unk_token]
        symbols = reserved + sorted(set(self.symbols(text)) - set(reserved))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
