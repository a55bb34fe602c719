"""I take the pair with the lowest ID, and stop when it is not in merges.

Mistake: a piece without any pair
Why: A single byte has no neighbor and therefore no pair: end the loop before calling min.
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
            while True:
                pair = min(zip(piece_ids, piece_ids[1:]), key=lambda pair: self.merges.get(pair, float("inf")))
                if pair not in self.merges:
                    break
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
