"""Each token is some bytes, so I turn each into text and add it to the string.

Mistake: every token is decoded by itself, so a character whose bytes lie in two tokens becomes replacement characters.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        text = ""
        for i in ids:
            if i not in self.vocab:
                raise ValueError(f"unknown token id {i}")
            text += self.vocab[i].decode("utf-8", errors="replace")
        return text
