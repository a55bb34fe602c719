"""set(text) is all characters.

Mistake: the text is taken apart into characters, for words too; self.symbols(text) was to split it.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        symbols = sorted(set(text) - {self.unk_token})
        if self.unk_token is not None:
            symbols.insert(0, self.unk_token)
        self.token_to_id = {s: i for i, s in enumerate(symbols)}
        self.id_to_token = {i: s for i, s in enumerate(symbols)}
