"""Several unknown characters in a row are one unknown piece.

Mistake: a run of unknown symbols becomes a single ID.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for symbol in self.symbols(text):
            if symbol in self.token_to_id:
                ids.append(self.token_to_id[symbol])
            elif self.unk_token is None:
                raise ValueError(f"unknown symbol {symbol!r}")
            elif not ids or ids[-1] != 0:
                ids.append(0)
        return ids
