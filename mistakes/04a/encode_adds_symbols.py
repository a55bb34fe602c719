"""A symbol without an ID gets the next free one.

Mistake: encode adds to the vocabulary
Why: build_vocab assigns the IDs; encode only looks them up.
Pitfall: build-again
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for symbol in self.symbols(text):
            if symbol not in self.token_to_id:
                self.id_to_token[len(self.token_to_id)] = symbol
                self.token_to_id[symbol] = len(self.token_to_id)
            ids.append(self.token_to_id[symbol])
        return ids
