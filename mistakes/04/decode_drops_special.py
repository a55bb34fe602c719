"""Special tokens are not part of the text that people read.

Mistake: special tokens are left out
Why: They are in vocab and are decoded like all other tokens.
Pitfall: special-tokens
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"There is no token with ID {token_id}.")
            if token_id not in self.special_token_ids:
                tokens.append(self.vocab[token_id])
        return b"".join(tokens).decode("utf-8", errors="replace")
