"""Special tokens and merges come after the 256 bytes; anything above 255 does not exist.

Mistake: an ID that exists is refused
Why: Raise the ValueError only for an ID that is not in vocab.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            if not 0 <= token_id < 256:
                raise ValueError(f"There is no token with ID {token_id}.")
            tokens.append(self.vocab[token_id])
        return b"".join(tokens).decode("utf-8", errors="replace")
