"""Models may produce any ID, so something has to be shown.

Mistake: an ID that does not exist becomes a question mark instead of a ValueError.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        return self._join([self.id_to_token.get(i, "?") for i in ids])
