"""With enumerate start=1, because 0 belongs to the unknown token.

Mistake: the symbols start at 1 even when there is no unknown token, ID 0 stays unused.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        self.token_to_id = {}
        if self.unk_token is not None:
            self.token_to_id[self.unk_token] = 0
        chars = set(self.symbols(text))
        chars.discard(self.unk_token)
        for number, char in enumerate(sorted(chars), start=1):
            self.token_to_id[char] = number
        self.id_to_token = {number: char for char, number in self.token_to_id.items()}
