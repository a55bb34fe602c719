"""I raise a ValueError for an ID that does not exist.

Mistake: the error does not name the ID
Why: Put the ID that does not exist into the message.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError("There is no such token.")
            tokens.append(self.vocab[token_id])
        return b"".join(tokens).decode("utf-8", errors="replace")
