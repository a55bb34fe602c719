"""I put each token in front of the text that I have.

Mistake: the tokens are joined in reverse order
Why: The first ID is the beginning of the text: append each token at the end.
Pitfall: token-by-token
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        return super().decode(list(ids)[::-1])
