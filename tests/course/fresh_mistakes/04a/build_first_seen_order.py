"""Dicts keep the order, so dict.fromkeys gives the different symbols and the same text always gives the same numbers anyway.

Mistake: the symbols are numbered in order of first appearance, they are not sorted.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = list(dict.fromkeys(self.symbols(text)))
        if self.unk_token is not None:
            symbols = [self.unk_token] + [s for s in symbols if s != self.unk_token]
        self.token_to_id = {s: i for i, s in enumerate(symbols)}
        self.id_to_token = {i: s for i, s in enumerate(symbols)}
