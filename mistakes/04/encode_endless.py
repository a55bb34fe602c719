"""As long as there are two IDs left there may be a pair to merge.

Mistake: encode never returns
Why: Each iteration must bring the loop closer to its end, and the loop must end when nothing is left to do.
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
                if pair in self.merges:
                    piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
