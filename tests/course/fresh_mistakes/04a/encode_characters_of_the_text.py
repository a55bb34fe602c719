"""For every character of the text, look it up.

Mistake: it goes through the text's characters, for words too, instead of self.symbols(text).
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for c in text:
            if c in self.token_to_id:
                ids.append(self.token_to_id[c])
            elif self.unk_token is not None:
                ids.append(self.token_to_id[self.unk_token])
            else:
                raise ValueError(f"unknown symbol {c!r}")
        return ids
