""" "The" and "the" are the same word.

Mistake: the text is put into lower case first
Why: Decoding has to give back the text exactly as it was: encode the text as it is.
Pitfall: changed-text
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return super().encode(text.lower())
