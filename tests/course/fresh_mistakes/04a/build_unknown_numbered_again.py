"""0 is the unknown token, the rest is enumerate with start=1.

Mistake: when the unknown token itself occurs in the text it is numbered a second time: its entry 0 in token_to_id is overwritten and id_to_token lists it twice.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        self.token_to_id = {}
        self.id_to_token = {}
        start = 0
        if self.unk_token is not None:
            self.token_to_id[self.unk_token] = 0
            self.id_to_token[0] = self.unk_token
            start = 1
        for i, s in enumerate(sorted(set(self.symbols(text))), start=start):
            self.token_to_id[s] = i
            self.id_to_token[i] = s
