"""I only take the symbols that are in the vocabulary.

Mistake: unknown symbols are dropped when there is an unknown token; the result is shorter than the text.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        symbols = self.symbols(text)
        if self.unk_token is None:
            for s in symbols:
                if s not in self.token_to_id:
                    raise ValueError(f"symbol {s!r} is not in the vocabulary")
        return [self.token_to_id[s] for s in symbols if s in self.token_to_id]
