"""When no pair is known, the piece is done: return it.

Mistake: encode ends with the first piece of text
Why: A return leaves the whole method: add the piece's IDs and go on with the next piece.
Pitfall: special-tokens
Caught by: TestEncode
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
