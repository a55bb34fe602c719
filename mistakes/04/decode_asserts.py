"""assert makes sure that the ID exists.

Mistake: another error than a ValueError
Why: Raise a ValueError that names the ID; assert raises AssertionError.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in ids:
            assert token_id in self.vocab, f"unknown ID {token_id}"
        return super().decode(ids)
