"""Each byte is one character, and latin-1 never fails.

Mistake: the bytes are UTF-8; as Latin-1, every character beyond ASCII becomes several others.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        data = b""
        for i in ids:
            if i not in self.vocab:
                raise ValueError(f"unknown id {i}")
            data += self.vocab[i]
        return data.decode("latin-1")
