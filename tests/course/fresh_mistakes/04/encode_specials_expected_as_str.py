"""Special tokens are strings and everything else is bytes.

Mistake: _pieces gives a special token's ID, an int, which the branch for str never sees.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, str):
                ids.append(self.special_to_id[piece])
                continue
            part = list(piece)
            while known := [p for p in zip(part, part[1:]) if p in self.merges]:
                best = min(known, key=self.merges.get)
                part = self._merge(part, best, self.merges[best])
            ids += part
        return ids
