"""Join and decode.

Mistake: without errors="replace", invalid bytes raise UnicodeDecodeError.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        parts = []
        for i in ids:
            if i not in self.vocab:
                raise ValueError(f"unknown id {i}")
            parts.append(self.vocab[i])
        return b"".join(parts).decode("utf-8")
