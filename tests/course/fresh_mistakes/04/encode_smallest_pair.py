"""min gives me the lowest of the known pairs.

Mistake: min without a key compares the pairs themselves, not the IDs that they turn into.
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
            while known := [p for p in zip(part, part[1:]) if p in self.merges]:
                best = min(known)
                part = self._merge(part, best, self.merges[best])
            ids += part
        return ids
