"""IDs below 256 are characters, so chr; the others are in vocab.

Mistake: an ID below 256 is a byte and not a character.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        text = ""
        for i in ids:
            if i not in self.vocab:
                raise ValueError(f"unknown id {i}")
            text += chr(i) if i < 256 else self.vocab[i].decode("utf-8", errors="replace")
        return text
