"""The text should not begin or end with spaces.

Mistake: spaces at the ends of the text are taken off
Why: They are symbols, and come back like all others.
Pitfall: hooks
Caught by: TestRoundTrip
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        return super().decode(ids).strip()
