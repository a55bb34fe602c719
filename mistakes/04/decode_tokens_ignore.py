"""Each token is decoded, and what is not a character is ignored.

Mistake: tokens are decoded one by one
Why: The bytes of a character may be spread over several tokens: join all bytes, then decode once.
Pitfall: token-by-token
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"there is no token with ID {token_id}")
        return "".join(self.vocab[token_id].decode(errors="ignore") for token_id in ids)
