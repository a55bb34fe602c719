"""Join the symbols with a space between them.

Mistake: there are spaces between the characters
Why: decode gives the symbols to self._join; only for words that adds spaces.
Pitfall: hooks
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in (ids := list(ids)):
            if token_id not in self.id_to_token:
                raise ValueError(f"There is no ID {token_id}.")
        return " ".join(self.id_to_token[token_id] for token_id in ids)
