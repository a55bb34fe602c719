"""Without IDs there is nothing to do.

Mistake: an array is used as a condition
Why: IDs may come as an array, which is neither true nor false: loop over them without `if ids`.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        if not ids:
            return ""
        return AnswerKey.decode(self, ids)
