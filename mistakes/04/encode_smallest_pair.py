"""min of the known pairs is the lowest one.

Mistake: the pair with the lowest IDs goes first
Why: min compares the pairs themselves. Compare the IDs that they make: key=self.merges.get.
Pitfall: merge-order
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
            piece_ids = list(piece)
            while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                piece_ids = self._merge(piece_ids, min(known), self.merges[min(known)])
            ids.extend(piece_ids)
        return ids
