"""The bytes came from UTF-8, so they are UTF-8.

Mistake: strict UTF-8
Why: Bytes that are not valid UTF-8 must not raise an error: decode with errors="replace".
Pitfall: strict-utf8
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
        return b"".join(tokens).decode("utf-8")
