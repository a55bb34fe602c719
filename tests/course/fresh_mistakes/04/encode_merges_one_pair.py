"""Find the first learned pair and replace it.

Mistake: there is an if where a while belongs: only one pair is merged in each piece.
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
            known = [p for p in zip(part, part[1:]) if p in self.merges]
            if known:
                best = min(known, key=self.merges.get)
                part = self._merge(part, best, self.merges[best])
            ids += part
        return ids
