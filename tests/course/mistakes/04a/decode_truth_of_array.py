"""Without IDs there is nothing to do.

Mistake: an array is asked for its truth
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        if not ids:
            return ""
        return AnswerKey.decode(self, ids)
