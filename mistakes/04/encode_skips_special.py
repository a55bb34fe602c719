"""Special tokens are not bytes, so there is nothing to encode.

Mistake: special tokens are left out
Why: self._pieces yields an int for each special token: append it.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                continue
            piece_ids = list(piece)
            while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                pair = min(known, key=self.merges.get)
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
