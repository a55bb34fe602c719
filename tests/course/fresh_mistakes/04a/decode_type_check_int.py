"""I check first that it is a proper ID, an int that is in the table.

Mistake: isinstance(..., int) refuses numpy integers, so the IDs of an array raise ValueError although they are in the vocabulary.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        symbols = []
        for i in ids:
            if not isinstance(i, int) or i not in self.id_to_token:
                raise ValueError(f"{i} is not a valid ID")
            symbols.append(self.id_to_token[i])
        return self._join(symbols)
