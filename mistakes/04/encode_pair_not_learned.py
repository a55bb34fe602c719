"""min with infinity for unknown pairs gives the lowest ID; then I merge it.

Mistake: a pair that was never learned
Why: When no pair of the piece is in merges, the piece is done: stop there.
Pitfall: endless-encode
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
            while len(piece_ids) >= 2:
                pair = min(zip(piece_ids, piece_ids[1:]), key=lambda pair: self.merges.get(pair, float("inf")))
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
