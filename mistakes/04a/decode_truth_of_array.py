"""Without IDs there is nothing to do.

Mistake: an array is asked for its truth
Why: IDs may come as an array: go through them, without asking `if ids`.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def decode(self, ids):
        if not ids:
            return ""
        return AnswerKey.decode(self, ids)
