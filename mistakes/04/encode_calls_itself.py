"""What is left after a merge is encoded by encode.

Mistake: a call that calls itself without end
Why: Each call must bring the recursion closer to its end; a loop is simpler here.
Pitfall: endless-encode
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        return self.encode(text)
