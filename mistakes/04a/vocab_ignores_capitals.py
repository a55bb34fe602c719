"""In a dictionary a and A stand side by side.

Mistake: the symbols are not sorted
Why: IDs follow the order of sorted(symbols): a set has no reliable order, and no other order is wanted.
Pitfall: order
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        super().build_vocab(text)
        first = [] if self.unk_token is None else [self.unk_token]
        symbols = first + sorted(set(self.symbols(text)) - set(first), key=lambda s: (s.lower(), s))
        self.token_to_id = {s: i for i, s in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))
