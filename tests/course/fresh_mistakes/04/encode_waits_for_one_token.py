"""Merge until only one token is left.

Mistake: the loop runs while there are two IDs, and where no pair is known it never ends.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            part = list(piece)
            while len(part) > 1:
                known = [p for p in zip(part, part[1:]) if p in self.merges]
                if known:
                    best = min(known, key=self.merges.get)
                    part = self._merge(part, best, self.merges[best])
            ids += part
        return ids
