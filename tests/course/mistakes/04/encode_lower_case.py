""" "The" and "the" are the same word.

Mistake: the text is put into lower case first
Pitfall: changed-text
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return super().encode(text.lower())
