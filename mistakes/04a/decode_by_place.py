"""The symbols in the order of their IDs are a list, and the ID is the place.

Mistake: an ID that does not exist is passed over
Why: A negative place counts from the end of a list: ask whether the ID is in id_to_token, and raise a ValueError.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        symbols = list(self.token_to_id)
        if any(token_id >= len(symbols) for token_id in ids):
            raise ValueError(f"there is no token with one of the IDs {ids}")
        return self._join([symbols[token_id] for token_id in ids])
