"""I collect the bytes of all pieces and merge them in the end.

Mistake: merging across pieces
Why: Merge within each piece of self._pieces, and join the IDs afterward.
Pitfall: barriers
Caught by: TestPatterns
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            ids += [piece] if isinstance(piece, int) else list(piece)
        while known := [pair for pair in zip(ids, ids[1:]) if pair in self.merges]:
            pair = min(known, key=self.merges.get)
            ids = self._merge(ids, pair, self.merges[pair])
        return ids
