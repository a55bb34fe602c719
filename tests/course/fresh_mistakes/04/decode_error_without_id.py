"""An unknown ID is a ValueError.

Mistake: the message does not say which ID.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        parts = []
        for i in ids:
            if i not in self.vocab:
                raise ValueError("unknown token ID")
            parts.append(self.vocab[i])
        return b"".join(parts).decode("utf-8", errors="replace")
