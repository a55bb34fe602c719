"""The unknown token is not part of the text.

Mistake: the unknown token is left out
Why: It shows where text was lost: keep it like any other symbol.
Pitfall: unknown-symbol
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in (ids := list(ids)):
            if token_id not in self.id_to_token:
                raise ValueError(f"There is no ID {token_id}.")
        return self._join(
            [self.id_to_token[token_id] for token_id in ids if self.id_to_token[token_id] != self.unk_token]
        )
