"""When a symbol is new I simply give it the next number, then nothing is ever unknown.

Mistake: encode changes the vocabulary: unknown symbols get new IDs in place of the unknown token's ID or an error.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        out = []
        for ch in self.symbols(text):
            if ch not in self.token_to_id:
                self.token_to_id[ch] = len(self.token_to_id)
                self.id_to_token[self.token_to_id[ch]] = ch
            out.append(self.token_to_id[ch])
        return out
