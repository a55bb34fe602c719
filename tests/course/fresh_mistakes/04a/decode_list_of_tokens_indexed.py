"""IDs are 0, 1, 2, ... so a list is faster than the dictionary.

Mistake: a negative ID counts from the end of the list and gives a symbol in place of a ValueError.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        table = [self.id_to_token[i] for i in range(len(self.id_to_token))]
        symbols = []
        for i in ids:
            if i >= len(table):
                raise ValueError(f"ID {i} is too large")
            symbols.append(table[i])
        return self._join(symbols)
