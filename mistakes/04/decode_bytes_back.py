"""The tokens joined are the result.

Mistake: bytes where str belongs
Why: Decode the joined bytes as UTF-8; text is a str.
Pitfall: str-for-bytes
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"There is no token with ID {token_id}.")
            tokens.append(self.vocab[token_id])
        return b"".join(tokens)
