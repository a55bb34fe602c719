"""dict(enumerate(...)) makes a dictionary of the list, and the other one is its reverse.

Mistake: the dictionary is the other way round
Why: token_to_id has the symbol as its key, id_to_token the ID.
Pitfall: two-dictionaries
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        reserved = [] if self.unk_token is None else [self.unk_token]
        symbols = reserved + sorted(set(self.symbols(text)) - set(reserved))
        self.token_to_id = dict(enumerate(symbols))
        self.id_to_token = {symbol: token_id for token_id, symbol in enumerate(symbols)}
