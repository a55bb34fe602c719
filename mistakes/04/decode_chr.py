"""chr makes a character of a number.

Mistake: bytes are read as characters
Why: A byte above 127 is only part of a character: decode as UTF-8.
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
        return "".join(chr(byte) for token in tokens for byte in token)
