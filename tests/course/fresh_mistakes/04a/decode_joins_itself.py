"""Look up, and join with the empty string.

Mistake: self._join is not used, so words run together.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey
from g2c.solutions.char_word import WordTokenizer as AnswerKeyForWords


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        out = []
        for i in ids:
            if i not in self.id_to_token:
                raise ValueError(f"no token {i}")
            out.append(self.id_to_token[i])
        return "".join(out)


class WordTokenizer(AnswerKeyForWords, CharTokenizer):
    decode = CharTokenizer.decode
