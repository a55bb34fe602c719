"""When no pair is known the piece is done: give it back.

Mistake: return leaves the whole method after the first piece of bytes.
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
                    return ids + part
                best = min(known, key=self.merges.get)
                part = self._merge(part, best, self.merges[best])
        return ids
