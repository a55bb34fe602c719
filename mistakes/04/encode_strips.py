"""Spaces at the ends mean nothing, so I take them off.

Mistake: the text is stripped of white space at its ends first
Why: Decoding has to give back the text exactly as it was: encode the text as it is.
Pitfall: changed-text
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return super().encode(text.strip())
