"""I keep the IDs that are there.

Mistake: the symbol with ID 0 is lost
Why: 0 counts as false: ask `is None` or use `in`.
Pitfall: zero
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        return super().decode([token_id for token_id in ids if token_id])
