"""Tokens are like words, and words have spaces between them.

Mistake: something is put between the tokens
Why: A token brings its own spaces: join the bytes with b"".
Pitfall: changed-text
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        return " ".join(super(BPETokenizer, self).decode([i]) for i in ids)
