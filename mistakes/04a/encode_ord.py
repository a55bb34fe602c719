"""A character has a number already: ord.

Mistake: ord in place of the vocabulary
Why: build_vocab assigns the IDs: look them up in token_to_id.
Pitfall: zero
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        return [ord(symbol[0]) for symbol in self.symbols(text)]
