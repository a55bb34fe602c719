"""I go through the text line by line.

Mistake: the text is given other line ends first
Why: Decoding has to give back the text exactly as it was: encode the text as it is.
Pitfall: changed-text
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return super().encode("\n".join(text.splitlines()))
