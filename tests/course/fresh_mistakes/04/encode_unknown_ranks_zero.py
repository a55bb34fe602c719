"""I take the minimum of merges.get(pair, 0), so unknown pairs don't crash.

Mistake: a pair that is not in merges gets the rank 0 and so is always the minimum; the piece then counts as done although known pairs remain.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        out = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                out.append(piece)
                continue
            ids = list(piece)
            while len(ids) > 1:
                best = min(zip(ids, ids[1:]), key=lambda p: self.merges.get(p, 0))
                if best not in self.merges:
                    break
                ids = self._merge(ids, best, self.merges[best])
            out.extend(ids)
        return out
