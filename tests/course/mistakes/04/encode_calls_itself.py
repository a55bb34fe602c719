"""What is left after a merge is encoded by encode.

Mistake: a call that calls itself without end
Pitfall: endless-encode
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return self.encode(text)
