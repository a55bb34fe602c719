"""Frequent symbols should get the small IDs.

Mistake: the symbols are numbered by frequency
Why: Sort the symbols; then the ID of a symbol can be told from the list alone.
Pitfall: order
Caught by: TestBuildVocab
"""

from collections import Counter

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = [s for s, _ in Counter(self.symbols(text)).most_common() if s != self.unk_token]
        if self.unk_token is not None:
            symbols = [self.unk_token] + symbols
        self.token_to_id = {s: i for i, s in enumerate(symbols)}
        self.id_to_token = {i: s for i, s in enumerate(symbols)}
