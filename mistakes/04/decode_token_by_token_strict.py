"""Each token is a piece of text: decode it, then join the text.

Mistake: tokens are decoded one by one
Why: The bytes of a character may be spread over several tokens: join all bytes, then decode once.
Pitfall: token-by-token
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
        return "".join(token.decode("utf-8") for token in tokens)
