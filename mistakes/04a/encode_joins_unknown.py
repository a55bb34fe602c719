"""Several unknown symbols side by side are one unknown thing.

Mistake: neighboring unknown symbols become one
Why: Each symbol has an ID of its own, so the result is as long as the text has symbols.
Pitfall: unknown-symbol
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for symbol, token_id in zip(self.symbols(text), super().encode(text)):
            if symbol in self.token_to_id or not ids or ids[-1] != token_id:
                ids.append(token_id)
        return ids
