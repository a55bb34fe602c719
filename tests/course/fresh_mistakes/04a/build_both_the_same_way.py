"""Two dictionaries from one enumerate.

Mistake: id_to_token is not turned around: it maps symbols to IDs as well.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)) - {self.unk_token})
        if self.unk_token is not None:
            symbols.insert(0, self.unk_token)
        self.token_to_id = self.id_to_token = {s: i for i, s in enumerate(symbols)}
