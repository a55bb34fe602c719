"""First the real symbols, then the unknown token.

Mistake: the unknown token gets the last ID and not 0.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(self.symbols(text)) - {self.unk_token})
        if self.unk_token is not None:
            symbols.append(self.unk_token)
        self.token_to_id = {s: i for i, s in enumerate(symbols)}
        self.id_to_token = {i: s for i, s in enumerate(symbols)}
