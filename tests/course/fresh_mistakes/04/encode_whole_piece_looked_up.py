"""If the piece is a token already, there's nothing to merge: faster.

Mistake: a piece that is in vocab need not be what the merges make of it; earlier merges can lead elsewhere.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        by_bytes = {token: number for number, token in self.vocab.items()}
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            if bytes(piece) in by_bytes:
                ids.append(by_bytes[bytes(piece)])
                continue
            part = list(piece)
            while known := [p for p in zip(part, part[1:]) if p in self.merges]:
                best = min(known, key=self.merges.get)
                part = self._merge(part, best, self.merges[best])
            ids += part
        return ids
