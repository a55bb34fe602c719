"""Every piece is bytes, so list() gives its IDs.

Mistake: a special token is an int in the pieces and cannot be made into a list.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            part = list(piece)
            while known := [p for p in zip(part, part[1:]) if p in self.merges]:
                best = min(known, key=self.merges.get)
                part = self._merge(part, best, self.merges[best])
            ids += part
        return ids
