"""Each piece is a piece of bytes, so I make a list of it.

Mistake: a special token's ID is treated as bytes
Why: self._pieces yields ints as well as bytes: append the ints, and merge only the bytes.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            piece_ids = list(piece)
            while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                pair = min(known, key=self.merges.get)
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
