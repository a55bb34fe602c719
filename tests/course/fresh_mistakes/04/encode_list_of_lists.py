"""Append the special ID or the piece's IDs.

Mistake: append puts the whole list in as one element.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
            else:
                part = list(piece)
                while known := [p for p in zip(part, part[1:]) if p in self.merges]:
                    best = min(known, key=self.merges.get)
                    part = self._merge(part, best, self.merges[best])
                ids.append(part)
        return ids
