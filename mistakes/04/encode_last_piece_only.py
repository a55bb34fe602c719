"""For each piece I work out its IDs, and return them.

Mistake: only one of the pieces comes back
Why: Collect the IDs of all pieces in one list, and return it after the loop.
Pitfall: barriers
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
                pair = min(known, key=self.merges.get)
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids = piece_ids
        return ids
