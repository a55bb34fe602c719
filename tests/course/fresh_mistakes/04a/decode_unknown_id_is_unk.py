"""An ID that is not there is unknown, so it becomes the unknown token.

Mistake: with an unknown token set, decode raises no ValueError for an ID outside the vocabulary but writes the unknown token.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        symbols = []
        for i in ids:
            symbol = self.id_to_token.get(i, self.unk_token)
            if symbol is None:
                raise ValueError(f"no symbol has the ID {i}")
            symbols.append(symbol)
        return self._join(symbols)
