"""It must not raise at half a character, so errors="ignore".

Mistake: invalid bytes are dropped silently in place of showing the replacement character.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        data = b""
        for i in ids:
            if i not in self.vocab:
                raise ValueError(f"{i} is not in the vocabulary")
            data += self.vocab[i]
        return data.decode("utf-8", errors="ignore")
