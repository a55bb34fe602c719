"""The highest ID is the longest token, and long tokens compress best.

Mistake: max instead of min: the pair learned last is merged first.
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
            while True:
                known = [p for p in zip(part, part[1:]) if p in self.merges]
                if not known:
                    break
                best = max(known, key=self.merges.get)
                part = self._merge(part, best, self.merges[best])
            ids += part
        return ids
