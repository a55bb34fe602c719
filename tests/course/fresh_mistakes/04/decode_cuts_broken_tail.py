"""If the bytes end in the middle of a character, I take bytes off the end until it decodes.

Mistake: on a decoding error bytes are cut off at the end, so no replacement character appears, and an invalid byte in the middle loses all the text behind it.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        raw = bytearray()
        for i in ids:
            if i not in self.vocab:
                raise ValueError(f"no token has the ID {i}")
            raw += self.vocab[i]
        while True:
            try:
                return bytes(raw).decode("utf-8")
            except UnicodeDecodeError:
                raw = raw[:-1]
