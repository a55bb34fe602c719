"""A character has a number already: ord.

Mistake: ord in place of numbering
Why: IDs are places in the sorted list: 0, 1, 2, and so on.
Pitfall: order
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        super().build_vocab(text)
        self.token_to_id = {symbol: ord(symbol[0]) for symbol in self.token_to_id}
        self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}
